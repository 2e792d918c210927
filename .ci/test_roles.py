"""Shows that roles.py misses each permission that is taken out of the roles of the pipeline, one at a time.

Usage: test_roles.py PIPELINE TEMPLATE ..., after the SAM transform
"""

import collections
import contextlib
import copy
import io
import sys

import roles

# The schemas of CloudFormation do not say of which resources a handler needs an action.
UNCHECKED_RESOURCES = {"StackRole"}


def policies(pipeline):
    """The policies of each role, by its name."""
    managed = [pipeline[policy["Ref"]] for policy in pipeline["StackRole"]["ManagedPolicyArns"]]
    return {
        "StackRole": pipeline["StackRole"]["Policies"] + managed,
        "Boundary": [pipeline["Boundary"]],
        "DeployRole": pipeline["DeployRole"]["Policies"],
    }


def statement_of(pipeline, role, policy, place):
    return policies(pipeline)[role][policy]["PolicyDocument"]["Statement"][place]


def permissions(pipeline):
    """All actions and resources that can be taken out, each with its place."""
    for role, documents in policies(pipeline).items():
        for policy, document in enumerate(documents):
            for place, statement in enumerate(document["PolicyDocument"]["Statement"]):
                if statement["Effect"] != "Allow":
                    continue
                for member in ["Action"] if role in UNCHECKED_RESOURCES else ["Action", "Resource"]:
                    for value in roles.listed(statement[member]):
                        yield (role, policy, place), member, value


def without(pipeline, place, member, value):
    changed = copy.deepcopy(pipeline)
    statement = statement_of(changed, *place)
    statement[member] = [kept for kept in roles.listed(statement[member]) if kept != value]
    return changed


def main(pipeline, templates):
    pipeline, *rest = roles.read_all(pipeline, templates)
    counts, unnoticed = collections.Counter(), []
    for place, member, value in permissions(pipeline):
        with contextlib.redirect_stdout(io.StringIO()):
            problems = roles.check(without(pipeline, place, member, value), *rest)
        counts[f"{member.lower()}s of {place[0]}"] += 1
        if not problems:
            unnoticed.append(f"not missed: {value} of {statement_of(pipeline, *place)['Sid']} in {place[0]}")
    print("Taken out one at a time: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    if unnoticed or not counts:
        sys.exit("\n".join(unnoticed))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
