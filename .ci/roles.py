"""Checks the roles of the pipeline against the templates that it deploys.

StackRole needs the permissions of the handlers of every resource type, which the resource schemas of CloudFormation list, and
gets no others. Boundary needs the permissions of every role in the templates, and gets no others. DeployRole needs those of the commands
of the workflows, and gets no others.

Usage: roles.py PIPELINE TEMPLATE ..., after the SAM transform
"""

import fnmatch
import json
import pathlib
import re
import sys

from cfnlint.data import AdditionalSpecs
from cfnlint.helpers import load_resource
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER
from translate import read

REGION = "eu-west-1"

# Properties that no resource of the type has, and the permissions of its handlers that only these properties need.
UNUSED = {
    "AWS::ApiGatewayV2::Api": {"BodyS3Location": ["s3:GetObject"]},
    "AWS::CloudFront::Distribution": {
        "TenantConfig": ["cloudfront:*ConnectionGroup"],
        "VpcOriginConfig": ["cloudfront:GetVpcOrigin"],
        "Staging": ["cloudfront:UpdateDistributionWithStagingConfig"],
    },
    "AWS::CodeDeploy::DeploymentGroup": {"OnPremisesInstanceTagFilters": ["codedeploy:RegisterOnPremisesInstance"]},
    "AWS::DynamoDB::Table": {
        "ContributorInsightsSpecification": ["dynamodb:UpdateContributorInsights"],
        "ImportSourceSpecification": ["dynamodb:*Import*", "logs:*", "s3:*"],
        "KinesisStreamSpecification": ["dynamodb:*ableKinesis*", "dynamodb:UpdateKinesis*", "kinesis:*"],
        "ResourcePolicy": ["dynamodb:PutResourcePolicy", "dynamodb:DeleteResourcePolicy"],
        "SSESpecification": ["kms:*"],
    },
    "AWS::Lambda::EventSourceMapping": {"KmsKeyArn": ["kms:*"]},
    "AWS::Lambda::Function": {
        "CapacityProviderConfig": ["lambda:PassCapacityProvider", "lambda:PutFunctionScalingConfig"],
        "CodeSigningConfigArn": ["lambda:GetCodeSigningConfig", "lambda:*tFunctionCodeSigning*", "lambda:Delete*Signing*"],
        "FileSystemConfigs": ["elasticfilesystem:*", "s3files:*"],
        "KmsKeyArn": ["kms:*"],
        "Layers": ["lambda:GetLayerVersion"],
        "VpcConfig": ["ec2:*"],
    },
    "AWS::Logs::LogGroup": {
        "DataProtectionPolicy": ["logs:PutDataProtectionPolicy", "logs:DeleteDataProtectionPolicy", "firehose:*"],
        "FieldIndexPolicies": ["logs:PutIndexPolicy", "logs:DeleteIndexPolicy"],
        "KmsKeyId": ["logs:*KmsKey"],
        "ResourcePolicyDocument": ["logs:DeleteResourcePolicy"],
    },
    "AWS::S3::Bucket": {
        "AbacStatus": ["s3:PutBucketAbac"],
        "AccelerateConfiguration": ["s3:PutAccelerateConfiguration"],
        "AccessControl": ["s3:PutBucketAcl", "s3:PutObjectAcl"],
        "AnalyticsConfigurations": ["s3:PutAnalyticsConfiguration"],
        "CorsConfiguration": ["s3:PutBucketCORS"],
        "IntelligentTieringConfigurations": ["s3:PutIntelligentTieringConfiguration"],
        "InventoryConfigurations": ["s3:PutInventoryConfiguration"],
        "MetadataConfiguration": ["s3:*MetadataTable*", "s3:UpdateBucketMetadata*", "s3tables:*"],
        "MetricsConfigurations": ["s3:PutMetricsConfiguration"],
        "NotificationConfiguration": ["s3:PutBucketNotification"],
        "ObjectLockConfiguration": ["s3:PutBucketObjectLockConfiguration"],
        "ReplicationConfiguration": ["s3:PutReplicationConfiguration", "s3:DeleteObject", "iam:PassRole"],
        "WebsiteConfiguration": ["s3:PutBucketWebsite", "s3:DeleteBucketWebsite"],
    },
    "AWS::SecretsManager::Secret": {"ReplicaRegions": ["secretsmanager:*Replicat*"]},
}

# Permissions of handlers that the role does not get.
REFUSED = {
    "dynamodb:*Item": "fills replicas of a global table, and the role reads and writes no rows",
    "dynamodb:*TableReplica": "as above",
    "dynamodb:Query": "as above",
    "dynamodb:Scan": "as above",
    "iam:CreateServiceLinkedRole": "as above",
    "iam:DeleteRolePermissionsBoundary": "a role of the stack could do more than the boundary allows",
}

# Permissions that the role gets although no handler lists them.
UNLISTED = {
    "cloudformation:CreateChangeSet": "the transforms of the template",
    "logs:DeleteLogDelivery": "API Gateway changes the delivery of access logs on behalf of its caller",
    "logs:GetLogDelivery": "as above",
    "logs:ListLogDeliveries": "as above",
    "logs:UpdateLogDelivery": "as above",
    "wafv2:GetWebACL": "CloudFront looks up the web ACL of a distribution on behalf of its caller",
}

# Permissions on every resource, although IAM could limit them.
UNLIMITED = {
    "ses:*": "configuration sets have generated names, and one of the two versions of the API knows no resources",
}

# Permissions of managed policies that the roles of the stack use.
FROM_MANAGED_POLICIES = {
    "cloudwatch:DescribeAlarms": "CodeDeploy watches the alarms of a rollout",
    "lambda:GetAlias": "CodeDeploy shifts traffic",
    "lambda:GetProvisionedConcurrencyConfig": "as above",
    "lambda:UpdateAlias": "as above",
    "logs:CreateLogStream": "functions log",
    "logs:PutLogEvents": "as above",
    "xray:PutTelemetryRecords": "the parameter Tracing",
    "xray:PutTraceSegments": "as above",
}

# Names that CloudFormation could give, for the references in policies of the templates.
# Not the beginning of `portal-restored-`, which has a permission of its own.
STACK = "portal-prod"
ARN = f"arn:aws:{{}}:{REGION}:000000000000:"
REFERENCES = {
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::AccountId": "000000000000",
    "AWS::StackName": STACK,
    "PortalStack": STACK,
    "Stage": "prod",
    "Bucket.Arn": f"arn:aws:s3:::{STACK}-bucket-1",
    "CanaryFunction.Arn": ARN.format("lambda") + f"function:{STACK}-CanaryFunction-1",
    "CardNetworkSecretArn": ARN.format("secretsmanager") + "secret:portal/prod/card-network-abcdef",
    "CodeSecretArn": ARN.format("secretsmanager") + "secret:portal/prod/codes-abcdef",
    "DeliveriesFunction.Arn": ARN.format("lambda") + f"function:{STACK}-DeliveriesFunction-1",
    "DocumentsBucket.Arn": f"arn:aws:s3:::{STACK}-documentsbucket-1",
    "FormerTable": f"{STACK}-Table-0",
    "Logs.Arn": ARN.format("logs") + f"log-group:/{STACK}/functions:*",
    "LostBatches.Arn": ARN.format("sqs") + f"{STACK}-LostBatches-1",
    "MailConfiguration": "MailConfiguration-1",
    "RestoredTable": "portal-restored-20261105",
    "RestoredTableStream": "2026-11-05T09:00:00.000",
    "RolloutHook.Arn": ARN.format("lambda") + f"function:{STACK}-RolloutHook-1",
    "SearchBucket.Arn": f"arn:aws:s3:::{STACK}-searchbucket-1",
    "SweepFunction.Arn": ARN.format("lambda") + f"function:{STACK}-SweepFunction-1",
    "Table.StreamArn": ARN.format("dynamodb") + f"table/{STACK}-Table-1/stream/2026-11-05T09:00:00.000",
    "TableInUse.Value": f"{STACK}-Table-1",
    "TestTillSecret": "portal/prod/test-till",
    "VerifierSecretArn": ARN.format("secretsmanager") + "secret:portal/prod/verifier-abcdef",
}

# The permissions of the commands that the workflows run as DeployRole, as `action of a part of the resource's ARN`.
PORTAL = ":stack/${PortalStack}/*"
CLIENTS = ":stack/${PortalStack}-clients/*"
UPLOADS = "aws-sam-cli-managed-default-*"
FILES = "${PortalStack}-clients-files-*"
CHANGE_SETS = ["CreateChangeSet", "DeleteChangeSet", "DescribeChangeSet", "DescribeStackEvents", "DescribeStacks", "ExecuteChangeSet", "GetTemplate"]
COMMANDS = {
    "sam deploy ": [
        *(f"cloudformation:{action} of {stack}" for action in CHANGE_SETS for stack in (PORTAL, CLIENTS)),
        "cloudformation:CreateChangeSet of :aws:transform/*",
        "cloudformation:GetTemplateSummary of *",
        "cloudformation:DescribeStacks of :stack/aws-sam-cli-managed-default/*",
        f"s3:GetObject of :::{UPLOADS}/${{PortalStack}}/*",
        f"s3:PutObject of :::{UPLOADS}/${{PortalStack}}/*",
        f"s3:GetBucketLocation of :::{UPLOADS}",
        f"s3:ListBucket of :::{UPLOADS}",
        "iam:PassRole of StackRole.Arn",
    ],
    ".ci/canary ": [f"cloudformation:DescribeStacks of {PORTAL}", "lambda:InvokeFunction of :function:${PortalStack}-CanaryFunction-*"],
    "deploy/preflight ": [
        *(f"cloudformation:{action} of {stack}" for action in ["DescribeStacks", "GetStackPolicy"] for stack in (PORTAL, CLIENTS)),
        f"cloudformation:GetTemplate of {PORTAL}",
        "lambda:GetAccountSettings of *",
    ],
    "deploy/publish-clients ": [
        f"cloudformation:DescribeStacks of {CLIENTS}",
        f"s3:PutObject of :::{FILES}/*",
        f"s3:ListBucket of :::{FILES}",
        f"s3:DeleteObject of :::{FILES}/dashboard/v/*",
        "cloudfront:CreateInvalidation of :distribution/*",
    ],
    "aws cloudformation continue-update-rollback ": [
        *(f"cloudformation:ContinueUpdateRollback of {stack}" for stack in (PORTAL, CLIENTS)),
        "iam:PassRole of StackRole.Arn",
    ],
    "aws cloudformation cancel-update-stack ": [f"cloudformation:CancelUpdateStack of {stack}" for stack in (PORTAL, CLIENTS)],
    "aws cloudformation wait stack-rollback-complete ": [f"cloudformation:DescribeStacks of {PORTAL}"],
}
WORKFLOWS = ".github/workflows"

# What IAM allows, without spaces.
MAX_INLINE_POLICIES = 10240
MAX_MANAGED_POLICY = 6144
# The longest values that the names in the policies can have in practice.
LONG = {"AWS::Region": "ap-northeast-1", "PortalStack": "p" * 32, "AWS::StackName": "p" * 40, "Stage": "s" * 16}

IAM_ACTIONS = load_resource(AdditionalSpecs, "Policies.json")


def listed(value):
    return value if isinstance(value, list) else [value]


def keys(value):
    """Returns the keys of a value, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*(keys(member) for member in value.values()))
    return set().union(*(keys(member) for member in value)) if isinstance(value, list) else set()


def matches(action, patterns):
    return any(fnmatch.fnmatchcase(action.lower(), pattern.lower()) for pattern in patterns)


def iam_action(action):
    """Returns what IAM knows of an action. Some schemas list operations that are none."""
    service, name = action.lower().split(":")
    return IAM_ACTIONS.get(service, {}).get("Actions", {}).get(name)


def is_retained(resource):
    return resource.get("DeletionPolicy") == resource.get("UpdateReplacePolicy") == "Retain"


def needed_by(resource_type, resources):
    """Returns the permissions that the handlers of a type need for these resources."""
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema(REGION, resource_type).schema
    handlers = schema["handlers"].items()
    if all(is_retained(resource) for resource in resources):
        handlers = [(name, handler) for name, handler in handlers if name != "delete"]
    listed_by_handlers = {action.lower() for _, handler in handlers for action in handler.get("permissions", [])}
    used = keys([resource.get("Properties", {}) for resource in resources])
    for feature, patterns in UNUSED.get(resource_type, {}).items():
        assert feature in keys(schema), f"{resource_type} knows no {feature}"
        assert feature not in used, f"{resource_type} has {feature}, which UNUSED says it has not"
        stale = [pattern for pattern in patterns if not any(matches(action, [pattern]) for action in listed_by_handlers)]
        assert not stale, f"{resource_type}, {feature}: no handler needs {stale}"
        listed_by_handlers -= {action for action in listed_by_handlers if matches(action, patterns)}
    return {action for action in listed_by_handlers if iam_action(action) is not None and not matches(action, REFUSED)}


def allowed(statements, references=REFERENCES):
    """Returns the allowed pairs of an action and a resource."""
    statements = [statement for statement in statements if statement["Effect"] == "Allow"]
    pairs = [(action, text) for statement in statements for action in listed(statement["Action"])
             for resource in listed(statement["Resource"]) for text in texts(resource, references)]
    wildcards = sorted({action for action, _ in pairs if "*" in action})
    assert not wildcards, f"actions have to be named: {wildcards}"
    return [(action.lower(), resource) for action, resource in pairs]


def texts(value, references=REFERENCES):
    """Returns the texts that a value with intrinsic functions can have. Unknown references stay as they are."""
    if isinstance(value, str):
        return [value]
    (function, argument), = value.items()
    if function == "Fn::If":
        return [text for branch in argument[1:] for text in texts(branch, references)]
    if function == "Fn::Sub":
        return [re.sub(r"\$\{([^}]+)\}", lambda match: references.get(match[1], match[0]), argument)]
    assert function in ("Ref", "Fn::GetAtt"), value
    name = ".".join(listed(argument))
    return [references.get(name, name)]


def with_texts(value, references):
    if isinstance(value, list):
        return [with_texts(member, references) for member in value]
    if not isinstance(value, dict):
        return value
    if any(key == "Ref" or key.startswith("Fn::") for key in value):
        return texts(value, references)[0]
    return {key: with_texts(member, references) for key, member in value.items()}


def size(*documents):
    """Returns the largest size of policies, as IAM counts it."""
    documents = [with_texts(document, REFERENCES | LONG) for document in documents]
    return sum(len(re.sub(r"\s", "", json.dumps(document))) for document in documents)


def statements(policies):
    """Returns the statements of policies, those under a condition among them."""
    found = [statement for policy in policies for statement in listed(policy["PolicyDocument"]["Statement"])]
    return [statement["Fn::If"][1] if "Fn::If" in statement else statement for statement in found]


def check_size(name, policies, limit):
    used = size(*(policy["PolicyDocument"] for policy in policies))
    print(f"{name}: {used} of {limit} characters")
    return [f"{name}: {used} characters are too many"] if used > limit else []


def check_stack_role(role, managed_policies, needed, type_count):
    granted = allowed(statements(role["Policies"] + managed_policies))
    actions = {action for action, _ in granted}
    problems = [f"missing: {action}" for action in sorted(needed - actions)]
    problems += [f"not needed: {action}" for action in sorted(actions - needed) if not matches(action, UNLISTED)]
    problems += [f"unused exception: {action}" for action in UNLISTED if action.lower() not in actions - needed]
    for action, resource in granted:
        can_be_limited = bool((iam_action(action) or {}).get("Resources"))
        if resource == "*" and can_be_limited and not matches(action, UNLIMITED):
            problems.append(f"not limited to resources of the stack: {action}")
        elif resource != "*" and not can_be_limited and action != "cloudformation:createchangeset":
            problems.append(f"has no effect, because IAM cannot limit it to a resource: {action}")
    print(f"StackRole: {type_count} resource types need {len(needed)} actions, and {len(UNLISTED)} are needed besides; "
          f"{len(actions)} are granted")
    return problems


def check_boundary(policy, roles):
    used = statements([policy for role in roles for policy in role.get("Policies", [])])
    # The table of the stack, or a restored one.
    needed = set(allowed(used)) | set(allowed(used, REFERENCES | {"TableInUse.Value": REFERENCES["RestoredTable"]}))
    granted = allowed(statements([policy]))
    needed_actions = {action for action, _ in needed} | {action.lower() for action in FROM_MANAGED_POLICIES}
    granted_actions = {action for action, _ in granted}

    def is_granted(action, resource):
        return any(action == granted_action and fnmatch.fnmatchcase(resource.replace("*", "x"), pattern)
                   for granted_action, pattern in granted)

    problems = [f"missing in the boundary: {action} of {resource}" for action, resource in sorted(needed)
                if not is_granted(action, resource)]
    problems += [f"missing in the boundary: {action}" for action in sorted(needed_actions - granted_actions)]
    problems += [f"not needed in the boundary: {action}" for action in sorted(granted_actions - needed_actions)]
    unbounded = sum("PermissionsBoundary" not in role for role in roles)
    if unbounded:
        problems.append(f"{unbounded} roles have no boundary")
    print(f"Boundary: {len(roles)} roles need {len(needed_actions)} actions; {len(granted_actions)} are allowed")
    return problems


def check_deploy_role(role):
    """Compares the role with the commands of the workflows. The references of the template stay as they are."""
    workflows = "".join(path.read_text() for path in pathlib.Path(WORKFLOWS).glob("*.yml"))
    problems = [f"no workflow runs {command}" for command in COMMANDS if command not in workflows]
    needed = {permission for permissions in COMMANDS.values() for permission in permissions}
    granted = {f"{action} of {text}" for statement in statements(role["Policies"]) for action in listed(statement["Action"])
               for resource in listed(statement["Resource"]) for text in texts(resource, {})}

    def covers(grant, need):
        (action, text), (needed_action, part) = grant.split(" of "), need.split(" of ")
        return action == needed_action and (text == part or part != "*" and text.endswith(part))

    problems += [f"DeployRole misses {need}" for need in sorted(needed) if not any(covers(grant, need) for grant in granted)]
    problems += [f"DeployRole does not need {grant}" for grant in sorted(granted) if not any(covers(grant, need) for need in needed)]
    print(f"DeployRole: {len(COMMANDS)} commands need {len(needed)} permissions; {len(granted)} are granted")
    return problems


def read_all(pipeline, templates):
    """Returns the properties of the pipeline's resources, the resources of the templates by type, and what their handlers need."""
    by_type = {}
    for template in templates:
        for resource in read(template)["Resources"].values():
            by_type.setdefault(resource["Type"], []).append(resource)
    needed = set().union(*(needed_by(*entry) for entry in by_type.items()))
    return {name: resource["Properties"] for name, resource in read(pipeline)["Resources"].items()}, by_type, needed


def check(pipeline, by_type, needed):
    role, boundary = pipeline["StackRole"], pipeline["Boundary"]
    managed_policies = [pipeline[policy["Ref"]] for policy in role["ManagedPolicyArns"]]
    problems = check_stack_role(role, managed_policies, needed, len(by_type))
    problems += check_boundary(boundary, [role["Properties"] for role in by_type["AWS::IAM::Role"]])
    problems += check_deploy_role(pipeline["DeployRole"])
    problems += check_size("StackRole", role["Policies"], MAX_INLINE_POLICIES)
    for policy in [*managed_policies, boundary]:
        problems += check_size(policy["Description"], [policy], MAX_MANAGED_POLICY)
    return problems


if __name__ == "__main__":
    if found := check(*read_all(sys.argv[1], sys.argv[2:])):
        sys.exit("\n".join(found))
