"""Checks that `sam deploy` leaves to a stack the table that it uses: samconfig.toml does not name it, and SAM keeps what is not named.

Usage: kept_parameters.py TEMPLATE SETTINGS
"""

import re
import sys

from samcli.commands.deploy.deploy_context import DeployContext
from translate import read

KEPT = {"RestoredTable", "RestoredTableStream", "FormerTable"}


def main(template, settings):
    with open(settings) as file:
        named = set(re.findall(r'^ *"(\w+)=', file.read(), re.MULTILINE))
    assert not named & KEPT, f"{settings} names {named & KEPT}: a deployment of another commit would change the table"
    parameters = DeployContext.merge_parameters(read(template), dict.fromkeys(named, "value"))
    kept = {parameter["ParameterKey"] for parameter in parameters if parameter.get("UsePreviousValue")}
    assert KEPT <= kept, f"SAM gives {KEPT - kept} another value"
    print(f"a deployment keeps {len(kept)} parameters, {', '.join(sorted(KEPT))} among them")


if __name__ == "__main__":
    main(*sys.argv[1:])
