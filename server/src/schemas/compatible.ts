// Bodies and answers of the compatible data API.
import { Type } from 'typebox'
import { choice } from './words.js'

export const BinMap = Type.Record(Type.String(), Type.Unknown(), { title: 'BinMap', description: 'null deletes a bin' })

const ttl = Type.Integer({ description: 'seconds from now; -1 = never expires' })
const bins = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])

const stored = { generation: Type.Integer(), ttl, bins }

export const CompatibleRecord = Type.Object(stored, { title: 'CompatibleRecord' })

export const CompatibleError = Type.Object(
  {
    message: Type.String(),
    inDoubt: Type.Boolean(),
    internalErrorCode: Type.Optional(
      Type.Integer({ description: 'result code; absent where the gateway itself refused' }),
    ),
  },
  { title: 'CompatibleError' },
)

export const CompatibleScan = Type.Object(
  {
    records: Type.Array(Type.Object({ userKey: Type.Optional(Type.Unknown()), ...stored })),
    pagination: Type.Object({
      totalRecords: Type.Integer({ description: 'records on this page' }),
      nextToken: Type.Optional(Type.String()),
    }),
  },
  { title: 'CompatibleScan' },
)

const operations = 'READ, GET, GET_HEADER, PUT, ADD, APPEND, PREPEND, TOUCH, DELETE'

export const NamedOperation = Type.Object(
  {
    operation: Type.String({ description: operations }),
    opValues: Type.Record(Type.String(), Type.Unknown(), { description: 'bin, value, incr' }),
  },
  { title: 'NamedOperation' },
)

export const TypedOperation = Type.Object(
  {
    type: Type.String({ description: operations }),
    binName: Type.Optional(Type.String()),
    value: Type.Optional(Type.Unknown()),
    incr: Type.Optional(Type.Number()),
  },
  { title: 'TypedOperation' },
)

const keytype = choice(['STRING', 'INTEGER', 'BYTES', 'DIGEST'])

const BatchKey = Type.Object(
  {
    namespace: Type.String(),
    setName: Type.Optional(Type.String()),
    userKey: Type.Unknown({ description: 'a text or a number; bytes and digests as URL-safe base64' }),
    keytype: Type.Optional(keytype),
  },
  { title: 'BatchKey', additionalProperties: false },
)

export const BatchItem = Type.Object(
  {
    type: choice(['READ', 'WRITE', 'DELETE', 'UDF']),
    key: BatchKey,
    readAllBins: Type.Optional(Type.Boolean()),
    binNames: Type.Optional(Type.Array(Type.String())),
    opsList: Type.Optional(Type.Unknown({ description: 'operations as /v2/operate takes them' })),
    policy: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    packageName: Type.Optional(Type.String()),
    functionName: Type.Optional(Type.String()),
    functionArgs: Type.Optional(Type.Array(Type.Unknown())),
  },
  { title: 'BatchItem', additionalProperties: false },
)

export const CompatibleBatch = Type.Object(
  {
    batchRecords: Type.Array(
      Type.Object({
        resultCode: Type.Integer(),
        resultCodeString: Type.String(),
        record: Type.Optional(CompatibleRecord),
        key: BatchKey,
        inDoubt: Type.Boolean(),
      }),
    ),
  },
  { title: 'CompatibleBatch' },
)

export const CompatibleQuery = Type.Object(
  {
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'type EQUALS_LONG, EQUALS_STRING, CONTAINS_LONG or CONTAINS_STRING with binName and value, or RANGE with binName, begin and end; ' +
          'collectionType LIST, MAPKEYS or MAPVALUES asks the members of a list or map',
      }),
    ),
    from: Type.Optional(Type.String({ description: 'nextToken of the page before' })),
  },
  { title: 'CompatibleQuery', additionalProperties: false },
)
