"""A witness for the hosts of a test, as a separate process."""
import contextlib
import os
import re
import secrets
import subprocess
import time

PATIENCE_S = 60


def port_of(process, path):
    """Waits until the witness has written where it listens."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        has_ended = process.poll() is not None
        with open(path, encoding="utf-8") as output:
            said = output.read()
        found = re.search(r"listens on 127\.0\.0\.1:(\d+);", said)
        if found:
            return found[1]
        if has_ended or time.monotonic() > deadline:
            raise RuntimeError(f"the witness does not listen: {said}")
        time.sleep(0.02)


def end(process):
    process.terminate()
    try:
        process.wait(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def witness(program, folder):
    """Yields the switches with which a run reaches it. Key and store are in `folder`."""
    key = os.path.join(folder, "key")
    with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(secrets.token_hex(32))
    command = [program, "witness", "--listen", "127.0.0.1:0", "--store", os.path.join(folder, "store"), "--key-file", key]
    said = os.path.join(folder, "witness.txt")
    with open(said, "w", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield ["--witness", f"127.0.0.1:{port_of(process, said)}", "--key-file", key]
    finally:
        end(process)
