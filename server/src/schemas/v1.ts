// Bodies and answers of the compatible data API.
import { Type } from 'typebox'
import { flag, text } from './quantities.js'
import { choice } from './words.js'

export const BinMap = Type.Record(Type.String(), Type.Unknown(), {
  title: 'BinMap',
  description: 'Values by bin name. null deletes a bin.',
  examples: [{ items: 3, owner: 'Ada' }],
})

const stored = {
  generation: Type.Integer({ description: 'Version of the record. Each write increases it.' }),
  ttl: Type.Integer({ description: 'Time to live, in seconds from now. -1: never expires.' }),
  bins: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description: 'Values by bin name. null: no bins were asked for.',
  }),
}

const record = { generation: 3, ttl: -1, bins: { items: 5, owner: 'Ada' } }

export const CompatibleRecord = Type.Object(stored, {
  title: 'CompatibleRecord',
  description: 'A record with its metadata.',
  examples: [record],
})

export const CompatibleError = Type.Object(
  {
    message: text('What is wrong.'),
    inDoubt: flag('True if a write may have taken effect although it failed.'),
    internalErrorCode: Type.Optional(
      Type.Integer({ description: 'Result code of the Aerospike protocol. Unset if the gateway itself refused.' }),
    ),
  },
  {
    title: 'CompatibleError',
    description: 'A failure, in the format of the Aerospike REST Gateway.',
    examples: [{ message: 'Record not found', inDoubt: false }],
  },
)

export const CompatibleScan = Type.Object(
  {
    records: Type.Array(
      Type.Object({
        userKey: Type.Optional(Type.Unknown({ description: 'The key. Unset if only the digest is known.' })),
        ...stored,
      }),
      { description: 'The records of this page.' },
    ),
    pagination: Type.Object(
      {
        totalRecords: Type.Integer({ description: 'Records on this page.' }),
        nextToken: Type.Optional(text('Pass it as `from` to get the next page. Unset on the last page.')),
      },
      { description: 'Where the next page begins.' },
    ),
  },
  {
    title: 'CompatibleScan',
    description: 'A page of records.',
    examples: [{ records: [{ userKey: 'c1', ...record }], pagination: { totalRecords: 1 } }],
  },
)

const operations = 'Operation: `READ`, `GET`, `GET_HEADER`, `PUT`, `ADD`, `APPEND`, `PREPEND`, `TOUCH` or `DELETE`.'

export const NamedOperation = Type.Object(
  {
    operation: text(operations),
    opValues: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Operands, by name: `bin`, `value`, `incr`. Which ones depends on the operation.',
    }),
  },
  { title: 'NamedOperation', description: 'An operation on a record, with named operands.' },
)

export const TypedOperation = Type.Object(
  {
    type: text(operations),
    binName: Type.Optional(text('Bin it works on. Required unless it works on the whole record.')),
    value: Type.Optional(Type.Unknown({ description: 'Value to write, for `PUT`, `APPEND` and `PREPEND`.' })),
    incr: Type.Optional(Type.Number({ description: 'Number to add, for `ADD`.' })),
  },
  { title: 'TypedOperation', description: 'An operation on a record.' },
)

export const namedReads = [{ operation: 'READ', opValues: { bin: 'items' } }]
export const namedOperations = [{ operation: 'ADD', opValues: { bin: 'items', incr: 1 } }, ...namedReads]
export const typedReads = [{ type: 'READ', binName: 'items' }]
export const typedOperations = [{ type: 'ADD', binName: 'items', incr: 1 }, ...typedReads]

const keytype = choice(['STRING', 'INTEGER', 'BYTES', 'DIGEST'], {
  description: 'How to read `userKey`. Default: `STRING`.',
})

const BatchKey = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    setName: Type.Optional(text('Name of the set. Unset: a record without a set.')),
    userKey: Type.Unknown({ description: 'The key: a string or an integer. Bytes and digests are URL-safe base64.' }),
    keytype: Type.Optional(keytype),
  },
  { title: 'BatchKey', description: 'The key of a record.', additionalProperties: false },
)

const udf = 'For `UDF`, which is not supported.'

export const BatchItem = Type.Object(
  {
    type: choice(['READ', 'WRITE', 'DELETE', 'UDF'], {
      description: 'What to do with the record. `UDF` is refused with 501.',
    }),
    key: BatchKey,
    readAllBins: Type.Optional(flag('`READ`: read all bins. Default: false.')),
    binNames: Type.Optional(
      Type.Array(Type.String(), { description: '`READ`: bins to read. Unset, without `readAllBins`: only metadata.' }),
    ),
    opsList: Type.Optional(Type.Unknown({ description: 'Operations, as for `/v2/operate`. Required for `WRITE`.' })),
    policy: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Policies of this record, by name, such as `filterExp`, `generation` or `expiration`.',
      }),
    ),
    packageName: Type.Optional(text(udf)),
    functionName: Type.Optional(text(udf)),
    functionArgs: Type.Optional(Type.Array(Type.Unknown(), { description: udf })),
  },
  { title: 'BatchItem', description: 'One record of a batch, and what to do with it.', additionalProperties: false },
)

const batchKey = (userKey: string) => ({ namespace: 'shop', setName: 'carts', keytype: 'STRING', userKey })

export const batchItems = [
  { type: 'READ', key: batchKey('c1'), readAllBins: true },
  { type: 'DELETE', key: batchKey('c9') },
]

export const CompatibleBatch = Type.Object(
  {
    batchRecords: Type.Array(
      Type.Object({
        resultCode: Type.Integer({ description: 'Result code of the Aerospike protocol. 0: success.' }),
        resultCodeString: text('The result code in words.'),
        record: Type.Optional(CompatibleRecord),
        key: BatchKey,
        inDoubt: flag('True if a write may have taken effect although it failed.'),
      }),
      { description: 'One result per item, in their order.' },
    ),
  },
  {
    title: 'CompatibleBatch',
    description: 'The results of a batch.',
    examples: [
      {
        batchRecords: [
          { resultCode: 0, resultCodeString: 'ok', record, key: batchKey('c1'), inDoubt: false },
          { resultCode: 2, resultCodeString: 'Key not found', key: batchKey('c9'), inDoubt: false },
        ],
      },
    ],
  },
)

export const CompatibleQuery = Type.Object(
  {
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Filter on a bin. `type` is `EQUALS_LONG`, `EQUALS_STRING`, `CONTAINS_LONG` or `CONTAINS_STRING` with ' +
          '`binName` and `value`, or `RANGE` with `binName`, `begin` and `end`. ' +
          '`collectionType` (`LIST`, `MAPKEYS` or `MAPVALUES`) tests the members of a list or map. Unset: all records.',
      }),
    ),
    from: Type.Optional(text('`nextToken` of the previous page. Unset: the first page.')),
  },
  {
    title: 'CompatibleQuery',
    description: 'The records to find.',
    additionalProperties: false,
    examples: [{ filter: { type: 'EQUALS_LONG', binName: 'items', value: 5 } }],
  },
)
