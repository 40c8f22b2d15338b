// Parameters of the compatible API, only for the OpenAPI document. Its routes read them as
// leniently as Aerospike's gateway.
import { type TSchema, Type } from 'typebox'
import { choice } from '../../../schemas/words.js'

const text = (description: string, example: string) => Type.String({ description, examples: [example] })
const flag = (description: string) => Type.Boolean({ description, examples: [true] })
const whole = (description: string, example: number) => Type.Integer({ description, examples: [example] })

const inPath: Readonly<Record<string, TSchema>> = {
  ns: text('Name of the namespace.', 'shop'),
  set: text('Name of the set.', 'carts'),
  key: text('Key of the record, read as `keytype` says.', 'c1'),
  name: text('Name of the index.', 'items'),
  node: text('Name of the node, as `GET /v1/cluster` answers it.', 'BB95BCE98F73F3E'),
  begin: text('First partition, 0 to 4095.', '0'),
  count: text('Number of partitions, 1 to 4096.', '4096'),
}

/** The parameters of a route's path. */
export const pathOf = (url: string) =>
  Type.Object(
    Object.fromEntries([...url.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, inPath[name] ?? Type.String()])),
  )

const filterexp = text(
  'Filter: only records that pass it. A filter expression in base64, or in the filter language in URL-safe base64; see docs/compatibility.md.',
  'aXRlbXMgPiAz',
)
const keytype = choice(['STRING', 'INTEGER', 'BYTES', 'DIGEST'], {
  description: 'How to read the key. `BYTES` and `DIGEST` are URL-safe base64. Default: `STRING`.',
  examples: ['INTEGER'],
})
const recordBins = Type.Array(Type.String(), {
  description: 'Bins to read; repeat it for several. Unset: all.',
  examples: [['items', 'owner']],
})
const generation = whole('Expected version of the record. Only with `generationPolicy`. Default: 0.', 3)
const generationPolicy = choice(['NONE', 'EXPECT_GEN_EQUAL', 'EXPECT_GEN_GT'], {
  description:
    'When to refuse a write by its `generation`. `EXPECT_GEN_EQUAL`: unless the versions are equal. ' +
    '`EXPECT_GEN_GT`: unless `generation` is greater. Default: `NONE`.',
  examples: ['EXPECT_GEN_EQUAL'],
})
const expiration = whole(
  "Time to live, in seconds. -1: never expires. -2: keep it unchanged. 0: the namespace's default. Default: 0.",
  86_400,
)
const recordExistsAction = choice(['UPDATE', 'UPDATE_ONLY', 'REPLACE', 'REPLACE_ONLY', 'CREATE_ONLY'], {
  description: 'What to do if the record exists or is missing. Unset: what the HTTP method means.',
  examples: ['CREATE_ONLY'],
})
const includeBinData = flag('false: answer only metadata. Default: true.')
const onlyQuery = <T extends Record<string, TSchema>>(properties: T) => ({
  querystring: Type.Partial(Type.Object(properties)),
})

const writing = { generation, generationPolicy, expiration, recordExistsAction, filterexp }
const respondAllOps = flag('Answer a result for every operation, those without one too. Default: false.')

export const readDocuments = onlyQuery({ keytype, recordBins, filterexp })
export const keyDocuments = onlyQuery({ keytype })
export const writeDocuments = onlyQuery({ keytype, ...writing })
export const deleteDocuments = onlyQuery({ keytype, generation, generationPolicy, filterexp })
export const operateDocuments = onlyQuery({ keytype, ...writing, respondAllOps })
export const operateReadDocuments = {
  querystring: Type.Object({
    key: Type.Array(Type.String(), {
      description: 'Keys of the records, 1 to 5,000; repeat it for several.',
      examples: [['c1', 'c2']],
    }),
    ...operateDocuments.querystring.properties,
  }),
}
export const scanDocuments = onlyQuery({
  maxRecords: whole('Most records in the answer. 0 or unset: all.', 100),
  from: text('`nextToken` of the previous page. Unset: the first page.', 'zQAJAAAA7H4Xhg'),
  recordsPerSecond: whole('Throttle, in records per second. 0 or unset: no throttle.', 50_000),
  recordBins,
  includeBinData,
  filterexp,
})
export const queryDocuments = onlyQuery({
  maxRecords: whole('Most records in the answer. 0: all. Default: 10,000.', 100),
  getToken: flag('Answer `nextToken`, to read on from. Default: false.'),
  indexName: text('Name of the index that must exist for the filter. Unset: any index on the bin.', 'items'),
  recordBins,
  includeBinData,
  filterexp,
})
export const truncateDocuments = {
  ...onlyQuery({
    date: text(
      'Delete only records last updated before this time: ISO 8601 with an offset. Unset: all records.',
      '2026-01-31T12:00:00Z',
    ),
  }),
  headers: Type.Object({
    'x-confirm': Type.Optional(
      text(
        'Name of the set or namespace, as a confirmation. Required if `TESSERA_ENVIRONMENT` is `production`.',
        'carts',
      ),
    ),
  }),
}
export const indexListDocuments = onlyQuery({
  namespace: text('Name of the namespace. Unset: all open namespaces.', 'shop'),
})
