import { type Static, Type } from 'typebox'
import { recordSet } from '../examples/namespaces.js'
import { page, PageQuery } from '../pages.js'
import { bytes, count, text, Threads } from '../quantities.js'
import { choice, SetName } from '../words.js'

export const SetLimits = Type.Object(
  {
    maxRecords: Type.Optional(Type.Integer({ minimum: 0, description: 'Most records. 0 or unset: no limit.' })),
    maxBytes: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Most bytes of records as stored. 0 or unset: no limit.' }),
    ),
  },
  {
    title: 'SetLimits',
    additionalProperties: false,
    description: 'Limits of a set. A write that would exceed one is refused with `set_quota`.',
    examples: [{ maxRecords: 1_000_000 }],
  },
)
export type SetLimits = Static<typeof SetLimits>

export const SetConfig = Type.Object(
  {
    name: SetName,
    distributionBin: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'Records with the same value in this bin share a segment, so that a query with `route` reads one segment. ' +
          'Unset: the key chooses the segment.',
      }),
    ),
    index: Type.Optional(Type.Boolean({ description: 'Switch the set index on. Default: false.' })),
    limits: Type.Optional(SetLimits),
  },
  {
    title: 'SetConfig',
    description: 'The set to create.',
    additionalProperties: false,
    examples: [{ name: 'events', distributionBin: 'repo_id' }],
  },
)
export type SetConfig = Static<typeof SetConfig>

export const SetPatch = Type.Object(
  {
    index: Type.Optional(Type.Boolean({ description: 'true: build the set index. false: drop it.' })),
    threads: Type.Optional({
      ...Threads,
      description: 'Worker threads of the build of the set index, 1 to 128. Default: set by `TESSERA_THREADS`.',
    }),
    limits: Type.Optional(SetLimits),
  },
  {
    title: 'SetPatch',
    description: 'What to change: `index`, `limits`, or both.',
    additionalProperties: false,
    examples: [{ index: true }],
  },
)

export const RecordSet = Type.Object(
  {
    name: text('Name of the set. Empty: the records without a set.'),
    records: count('Records in the set.'),
    bytes: bytes('Size of its records as stored'),
    distributionBin: Type.Optional(text('Bin that chooses the segment of a record. Unset: the key does.')),
    index: Type.Object(
      {
        state: choice(['off', 'building', 'on'], { description: 'State of the set index.' }),
        bytes: bytes('Memory of the set index'),
        jobId: Type.Optional(text('Id of the job that builds it.')),
      },
      { description: 'The set index.' },
    ),
    limits: SetLimits,
  },
  { title: 'RecordSet', description: 'A set and its figures.', examples: [recordSet] },
)
export type RecordSet = Static<typeof RecordSet>

export const setSorts = ['name', 'records', 'bytes'] as const

export const SetQuery = Type.Object(
  {
    ...PageQuery.properties,
    q: Type.Optional(
      Type.String({
        maxLength: 63,
        description: 'Only sets whose names contain this text, in upper or lower case. Unset: all sets.',
        examples: ['events'],
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        maxLength: 63,
        description: 'Only sets whose names begin with this text. Unset: all sets.',
        examples: ['events_'],
      }),
    ),
    sort: Type.Optional(
      choice(setSorts, {
        description: 'Order of the list. Sets of equal size come by name. Default: `name`.',
        examples: ['bytes'],
      }),
    ),
    order: Type.Optional(
      choice(['asc', 'desc'], { description: 'Direction of the order. Default: `asc`.', examples: ['desc'] }),
    ),
  },
  { additionalProperties: false },
)
export type SetQuery = Static<typeof SetQuery>

const OnePage = page(RecordSet, 'SetPage', 'sets')
export const SetPage = Type.Object(
  {
    ...OnePage.properties,
    total: Type.Object(
      {
        sets: count('Sets that match `q` and `prefix`.'),
        records: count('Records in them.'),
        bytes: bytes('Size of those records as stored'),
      },
      { description: 'What all pages hold together.' },
    ),
  },
  {
    title: 'SetPage',
    description: 'A page of sets.',
    examples: [
      {
        items: [recordSet],
        truncated: false,
        limit: 500,
        total: { sets: 1, records: recordSet.records, bytes: recordSet.bytes },
      },
    ],
  },
)
export type SetPage = Static<typeof SetPage>
