"""The additions of the evidence: certificates, and the command that checks them."""

from solvers.base.wing import CommandRow, OutputRow, Preparation, SettingRow, Wing

_HERE = "solvers.extras.evidence"

TABLE = Wing(
    commands={"check": CommandRow(f"{_HERE}.checker.check:main", "check a certificate")},
    outputs={
        "certify": OutputRow(
            f"{_HERE}.certificate:CertificateFolder",
            "write a proof of the count, and check it",
            is_folder=True,
            needs_all=True,
            is_slow=True,
            settings=("no_check",),
        ),
    },
    settings={"no_check": SettingRow("do not check what --certify writes", is_flag=True)},
    preparations=(Preparation("certificates", f"{_HERE}.functions:prepare"),),
)
