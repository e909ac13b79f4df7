#!/usr/bin/env python3
"""Checks what users deploy: a cluster accepts every Kubernetes manifest, ioproof has every switch in manifests, batch scripts and units,
and the names in them match. Exit code 77: kubernetes-validate (PyPI) or PyYAML is not available.

    check_manifests.py IOPROOF SOURCE_ROOT
"""
import pathlib
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("skipped: PyYAML is not installed")
    sys.exit(77)

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
KUBERNETES = sorted((root / "deploy/kubernetes").glob("*.yaml"))
assert len(KUBERNETES) >= 6, KUBERNETES
documents = [(path, document) for path in KUBERNETES for document in yaml.safe_load_all(path.read_text()) if document]


def pods():
    """Yields (file, owner, pod spec, labels) of everything that starts a container."""
    for path, document in documents:
        template = document.get("spec", {}).get("template")
        if template:
            yield path, document, template["spec"], template.get("metadata", {}).get("labels", {})


def switches_of(command):
    done = subprocess.run([program, command, "--help"], capture_output=True, text=True, timeout=60)
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", done.stdout))


KNOWN = {command: switches_of(command) for command in ("run", "witness", "report")}


def check_words(where, words):
    command = words[0]
    assert command in KNOWN, f"{where}: no such command: {command}"
    for word in words[1:]:
        if re.fullmatch(r"--?[a-z][a-z-]*", word):
            assert word in KNOWN[command], f"{where}: 'ioproof {command}' has no switch {word}"


for path, owner, spec, labels in pods():
    container = spec["containers"][0]
    check_words(path.name, container["args"])
    pod, own = spec["securityContext"], container["securityContext"]
    assert pod["runAsNonRoot"] and pod["seccompProfile"]["type"] == "RuntimeDefault", path
    assert own["readOnlyRootFilesystem"] and own["allowPrivilegeEscalation"] is False and own["capabilities"]["drop"] == ["ALL"], path
    assert "memory" in container["resources"]["limits"], path
    volumes = {volume["name"] for volume in spec.get("volumes", [])}
    volumes |= {claim["metadata"]["name"] for claim in owner["spec"].get("volumeClaimTemplates", [])}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes, f"{path}: volumes and mounts differ"
    is_repeated = owner["spec"].get("backoffLimitPerIndex", owner["spec"].get("backoffLimit", 6)) > 0
    if owner["kind"] == "Job" and is_repeated:
        rules = owner["spec"].get("podFailurePolicy", {}).get("rules", [])
        assert any(rule["action"] == "FailJob" and 1 in rule["onExitCodes"]["values"] for rule in rules), f"{path}: repeats a FAIL"
        assert spec["restartPolicy"] == "Never", f"{path}: a podFailurePolicy needs restartPolicy Never"
    if "--plan" in container["args"] and container["args"][container["args"].index("--plan") + 1] != "hand-over":
        assert owner["spec"].get("backoffLimitPerIndex") == 0, f"{path}: repeats a host that fails, or ends the others"
    if owner["spec"].get("completionMode") == "Indexed":
        of = container["args"][container["args"].index("--of") + 1]
        assert str(owner["spec"]["completions"]) == str(owner["spec"]["parallelism"]) == of, f"{path}: three numbers of hosts"
    if "--change" in container["args"] and "kill" in container["args"][container["args"].index("--change") + 1]:
        assert spec.get("shareProcessNamespace") is True, f"{path}: the first process of a namespace cannot be killed from inside"
    if labels.get("part") == "host":
        address = container["args"][container["args"].index("--witness") + 1]
        services = {f"{d['metadata']['name']}:{d['spec']['ports'][0]['port']}" for _, d in documents if d["kind"] == "Service" and "ports" in d["spec"]}
        assert address in services, f"{path}: no service {address}"

for path in KUBERNETES:
    assert not re.search(r"apply .*&& kubectl logs", path.read_text()), f"{path}: kubectl logs fails while the container is being created"

claims = {d["metadata"]["name"] for _, d in documents if d["kind"] == "PersistentVolumeClaim"}
for path, _, spec, _ in pods():
    for volume in spec.get("volumes", []):
        name = volume.get("persistentVolumeClaim", {}).get("claimName")
        assert name is None or name in claims, f"{path}: no claim {name}"

# Checks the calls of ioproof in scripts and units, with continued lines joined.
for path in [*(root / "deploy/slurm").glob("*.sbatch"), *(root / "deploy/systemd").glob("*.service")]:
    text = path.read_text().replace("\\\n", " ")
    for line in text.splitlines():
        for match in re.finditer(r'(?:"\$IOPROOF"|"?/usr/bin/ioproof"?) (run|witness|report)\b(.*)', line):
            if not line.lstrip().startswith("#"):
                check_words(path.name, [match[1], *match[2].split()])
    if path.name == "ioproof-host@.service":
        assert "--json ${IOPROOF_GROUP}.json" in text, f"{path}: results of two groups cannot be told apart"
    if path.suffix == ".sbatch":
        subprocess.run(["bash", "-n", str(path)], check=True)
        assert "#SBATCH --no-requeue\n" in text, f"{path}: after the loss of a node the job would delete the files"
print(f"{len(documents)} documents in {len(KUBERNETES)} manifests, and their switches")

try:
    import kubernetes_validate
except ImportError:
    print("skipped: the manifests were not compared with the schemas of Kubernetes: kubernetes-validate is not installed (pip install kubernetes-validate)")
    sys.exit(77)
for path, document in documents:
    kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)
print("all as Kubernetes", kubernetes_validate.latest_version(), "wants them")
