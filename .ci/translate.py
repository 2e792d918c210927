"""Translates a template by the SAM transform, as CloudFormation receives it, with a placeholder for the function code.

Usage: translate.py TEMPLATE. Prints the result as JSON.
"""

import json
import logging
import sys

from samcli.yamlhelper import yaml_parse
from samtranslator.translator.transform import transform


class NoPolicies:
    """The template uses no managed policies, and loading them would need an AWS account."""

    def load(self):
        return {}


def read(path):
    with open(path, encoding="utf-8") as file:
        return yaml_parse(file.read())


def translate(template):
    # The transform warns of features that only AWS turns on. Errors are exceptions.
    logging.disable(logging.WARNING)
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = "s3://built/function.zip"
    return transform(template, {}, NoPolicies())


if __name__ == "__main__":
    print(json.dumps(translate(read(sys.argv[1])), indent=2))
