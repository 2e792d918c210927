"""Runs moto, with its transactions as DynamoDB has them: `backend.py`. Prints its port.

moto 5.2 lets transactions interleave. For the case that a transaction is cancelled, it copies all rows of the table before each of them,
which takes gigabytes, and then replaces the table by the copy, whose stream no reader has.
"""

import copy
import types

import moto.dynamodb.models as models
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

transact = DynamoDBBackend.transact_write_items


def transact_write_items(self, transact_items):
    """A cancelled transaction changes no row, and leaves no records in the stream."""
    shards = {id(table.stream_shard): table.stream_shard for table in self.tables.values() if table.stream_shard}
    lengths = {key: len(shard.items) for key, shard in shards.items()}
    rows = [touched(self, action) for part in transact_items for action in part.values() if action.get("TableName") in self.tables]
    rows = [(table, pk, sk, copy.deepcopy(table.get_item(pk, sk))) for table, pk, sk in rows]
    try:
        return transact(self, transact_items)
    except Exception:
        for key, shard in shards.items():
            del shard.items[lengths[key]:]
        for table, pk, sk, row in rows:
            if row is not None:
                table.items[pk][sk] = row
            elif pk in table.items:
                table.items[pk].pop(sk, None)
        raise


def touched(backend, action):
    """The table and the key of an action."""
    table = backend.tables[action["TableName"]]
    key = action.get("Key") or action["Item"]
    return table, DynamoType(key[table.hash_key_attr]), DynamoType(key[table.range_key_attr])


def deepcopy(value, *memo):
    """Leaves out the copy of the table: `transact_write_items` restores the rows."""
    return value if isinstance(value, Table) else copy.deepcopy(value, *memo)


DynamoDBBackend.transact_write_items = transact_write_items
models.copy = types.SimpleNamespace(deepcopy=deepcopy)

if __name__ == "__main__":
    # One request at a time.
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=False)
    print(server.port, flush=True)
    server.serve_forever()
