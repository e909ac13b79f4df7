"""A witness for the hosts of a test, as a separate process."""
import contextlib
import os
import re
import secrets
import subprocess


@contextlib.contextmanager
def witness(program, folder):
    """Yields the switches with which a run reaches it. Key and store are in `folder`."""
    key = os.path.join(folder, "key")
    with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(secrets.token_hex(32))
    process = subprocess.Popen([program, "witness", "--listen", "127.0.0.1:0", "--store", os.path.join(folder, "store"), "--key-file", key],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        port = re.search(r"listens on 127\.0\.0\.1:(\d+)", process.stdout.readline())[1]
        yield ["--witness", f"127.0.0.1:{port}", "--key-file", key]
    finally:
        process.terminate()
        process.communicate()
