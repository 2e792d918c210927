"""Runs moto, with its transactions as DynamoDB has them: `backend.py`. Prints its port.

moto 5.2 lets transactions interleave, and replaces a table whose transaction is cancelled by a copy, whose stream no reader has.
"""

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.table import StreamShard
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

transact = DynamoDBBackend.transact_write_items


def transact_write_items(self, transact_items):
    """A cancelled transaction leaves no records in the stream."""
    shards = {id(table.stream_shard): table.stream_shard for table in self.tables.values() if table.stream_shard}
    lengths = {key: len(shard.items) for key, shard in shards.items()}
    try:
        return transact(self, transact_items)
    except Exception:
        for key, shard in shards.items():
            del shard.items[lengths[key]:]
        raise


DynamoDBBackend.transact_write_items = transact_write_items
StreamShard.__deepcopy__ = lambda self, memo: self

if __name__ == "__main__":
    # One request at a time.
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=False)
    print(server.port, flush=True)
    server.serve_forever()
