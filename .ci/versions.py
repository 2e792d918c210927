"""Checks that a changed setting publishes a new version of every function with routes, and changes every other function.

A version is published if its logical id changes, which SAM derives from the function's properties. A setting that does not
change the id would only reach the functions with the next change of the code. Lambda replaces the execution environments of a
function without versions if one of its properties changes.

Usage: versions.py TEMPLATE
"""

import copy
import json
import sys

from translate import read, translate

# A parameter of each kind that a function depends on, with another value.
PARAMETERS = {
    "CardNetworkUrl": "https://other.example",
    "OnboardingChecksPerEmail": 7,
    "Architecture": "x86_64",
    "RestoredTable": "portal-restored",
    "SecretsGeneration": 2,
    "FrontSecretGeneration": "2",
}


def resolved(value, parameters):
    """Replaces references to parameters by their values, as the transform AWS::LanguageExtensions does."""
    if isinstance(value, dict):
        if list(value) == ["Ref"] and value["Ref"] in parameters:
            return parameters[value["Ref"]]
        return {name: resolved(member, parameters) for name, member in value.items()}
    if isinstance(value, list):
        return [resolved(member, parameters) for member in value]
    return value


def versions(template, changed=None):
    """Returns the logical id of the version of each function, or else its properties."""
    template = copy.deepcopy(template)
    parameters = {name: parameter.get("Default", name) for name, parameter in template["Parameters"].items()}
    unknown = set(changed or {}) - set(parameters)
    assert not unknown, f"unknown parameters: {unknown}"
    template["Resources"] = resolved(template["Resources"], parameters | (changed or {}))
    template["Globals"] = resolved(template["Globals"], parameters | (changed or {}))
    resources = translate(template)["Resources"]
    functions = {name: json.dumps(resource) for name, resource in resources.items() if resource["Type"] == "AWS::Lambda::Function"}
    # Those that are as they are in the template, without settings of the portal.
    own = [name for name, resource in template["Resources"].items() if resource["Type"] == "AWS::Lambda::Function"]
    functions = {name: properties for name, properties in functions.items() if name not in own}
    ids = [name for name, resource in resources.items() if resource["Type"] == "AWS::Lambda::Version"]
    return functions | {resources[name]["Properties"]["FunctionName"]["Ref"]: name for name in ids}


def main(path):
    template = read(path)
    before = versions(template)
    published = [name for name, resource in template["Resources"].items() if "AutoPublishAlias" in resource.get("Properties", {})]
    with_versions = [name for name, version in before.items() if version.startswith(f"{name}Version")]
    assert sorted(with_versions) == sorted(published), f"published: {sorted(with_versions)}"
    assert versions(template) == before, "a new version without a change"

    slower = copy.deepcopy(template)
    for name in before:
        slower["Resources"][name]["Properties"]["Timeout"] = 30
    changes = {"Timeout": versions(slower)}
    for name, value in PARAMETERS.items():
        changes[name] = versions(template, {name: value})
    for name, after in changes.items():
        unchanged = [function for function, version in before.items() if after[function] == version]
        assert not unchanged, f"a change of {name} does not reach {unchanged}"
        print(f"a change of {name} publishes {len(published)} versions, and changes {len(after) - len(published)} functions without")


if __name__ == "__main__":
    main(sys.argv[1])
