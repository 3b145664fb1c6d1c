"""Certificate by which driver, scheduler and workers of a cluster authenticate each other and encrypt messages."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from catenary.errors import InputError
from catenary.storage.files import whole_file, writing
from optimise.executors.worker import ONE_THREAD

__all__ = ["CERTIFICATE", "DAYS", "KEY", "SETTINGS", "make_certificates", "security_of"]

CERTIFICATE, KEY, SETTINGS = "certificate.pem", "key.pem", "dask.yaml"
DAYS = 365
# a campaign of days must not end with its certificate
DAYS_LEFT_AT_LEAST = 30
NAME = "catenary campaign"


def make_certificates(folder: Path) -> None:
    """Write a new key, its certificate and Dask's settings; whoever holds them belongs to the cluster.

    Parameters
    ----------
    folder : Path
        Made if it is missing, readable by its owner alone.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = ec.generate_private_key(ec.SECP256R1())
    _write(
        folder / KEY,
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )
    _write(folder / CERTIFICATE, _certificate(key).public_bytes(serialization.Encoding.PEM))
    _write(folder / SETTINGS, yaml.safe_dump(_settings(folder.absolute())).encode())


def _settings(folder: Path) -> dict[str, Any]:
    """Settings that Dask's own commands read from the folder named by DASK_CONFIG."""
    pair = {"cert": str(folder / CERTIFICATE), "key": str(folder / KEY)}
    tls = {"ca-file": pair["cert"], **{role: dict(pair) for role in ("client", "scheduler", "worker")}}
    own = {
        "scheduler": {"allowed-failures": 0},
        "comm": {"default-scheme": "tls", "require-encryption": True, "tls": tls},
        "nanny": {"pre-spawn-environ": dict.fromkeys(ONE_THREAD, 1)},
        "worker": {"memory": dict.fromkeys(("target", "spill", "pause", "terminate"), False)},
    }
    return {"distributed": own}


def security_of(folder: Path, *, make: bool = False) -> Any:
    """TLS settings from a folder: each side shows its certificate; nothing else is accepted.

    Parameters
    ----------
    folder : Path
        Where the certificate and its key are.
    make : bool
        Make them where they are missing or end soon.

    Raises
    ------
    InputError
        If they are missing, end soon, or others may read the key.
    """
    from distributed import Security

    folder = folder.absolute()
    left = _days_left(folder / CERTIFICATE)
    if make and (left is None or left < DAYS_LEFT_AT_LEAST):
        make_certificates(folder)
    elif left is None or left <= 0:
        state = "is missing" if left is None else "has ended"
        raise InputError(
            [
                f"{folder / CERTIFICATE} must be the certificate of the cluster: it {state}; make it with: catenary "
                f"certificates run_dir={folder}, then start scheduler and workers with it"
            ]
        )
    for name in (KEY, CERTIFICATE):
        if not (folder / name).is_file():
            raise InputError([f"{folder / name} must belong to the certificate next to it: it is missing"])
    if (folder / KEY).stat().st_mode & 0o077:
        raise InputError([f"{folder / KEY} must be readable by its owner alone: run chmod 600 {folder / KEY}"])
    certificate, key = str(folder / CERTIFICATE), str(folder / KEY)
    roles = {f"tls_{role}_{part}": path for role in ("client", "scheduler", "worker")
             for part, path in (("cert", certificate), ("key", key))}  # fmt: skip
    return Security(require_encryption=True, tls_ca_file=certificate, **roles)


def _certificate(key: Any) -> Any:
    """Self-signed certificate, its own authority: whoever shows another one is refused."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    public = key.public_key()
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, crl_sign=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))  # clocks of nodes differ
        .not_valid_after(now + timedelta(days=DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(public), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def _days_left(certificate: Path) -> float | None:
    """Days until a certificate ends; None without a certificate."""
    from cryptography import x509

    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError([f"{certificate} must be a certificate: {error}; make a new one"]) from error
    return (found.not_valid_after_utc - datetime.now(UTC)).total_seconds() / 86400.0


def _write(path: Path, content: bytes) -> None:
    """Write a file that its owner alone can read, from its first byte on."""
    with whole_file(path) as temporary:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "wb") as file:
            file.write(content)
