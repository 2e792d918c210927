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
        template = yaml_parse(file.read())
    return template | {"Resources": written_out(template["Resources"], template.get("Mappings"), {})}


def written_out(value, mappings, variables):
    """Repeats what a loop contains, as the transform AWS::LanguageExtensions does."""
    if isinstance(value, str):
        for name, item in variables.items():
            value = value.replace(f"${{{name}}}", item)
        return value
    if isinstance(value, list):
        return [written_out(member, mappings, variables) for member in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, member in value.items():
        if key.startswith("Fn::ForEach::"):
            name, items, body = member
            for item in items:
                result |= written_out(body, mappings, variables | {name: item})
        else:
            result[written_out(key, mappings, variables)] = written_out(member, mappings, variables)
    match result:
        case {"Ref": name} if name in variables:
            return variables[name]
        case {"Fn::Sub": str(text)} if "$" not in text:
            return text
        case {"Fn::FindInMap": [str(mapping), str(first), str(second)]}:
            return mappings[mapping][first][second]
    return result


def translate(template):
    # The transform warns of features that only AWS turns on. Errors are exceptions.
    logging.disable(logging.WARNING)
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = "s3://built/function.zip"
    return transform(template, {}, NoPolicies())


if __name__ == "__main__":
    print(json.dumps(translate(read(sys.argv[1])), indent=2))
