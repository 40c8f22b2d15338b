import { type Static, Type } from 'typebox'
import { page } from './pages.js'
import { Bytes, Count, Threads } from './quantities.js'
import { choice, Name } from './words.js'

export const SetLimits = Type.Object(
  {
    maxRecords: Type.Optional(Type.Integer({ minimum: 0, description: 'most records; 0 or absent = no limit' })),
    maxBytes: Type.Optional(
      Type.Integer({ minimum: 0, description: 'most bytes of records as stored; 0 or absent = no limit' }),
    ),
  },
  {
    title: 'SetLimits',
    additionalProperties: false,
    description: 'writes that would take the set past a limit are refused with set_quota',
    examples: [{ maxRecords: 1_000_000 }],
  },
)
export type SetLimits = Static<typeof SetLimits>

export const SetConfig = Type.Object(
  {
    name: Name,
    distributionBin: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'records with the same value in this bin share a segment, so that a routed query asks one segment',
      }),
    ),
    index: Type.Optional(Type.Boolean({ description: 'switch the set index on' })),
    limits: Type.Optional(SetLimits),
  },
  { title: 'SetConfig', additionalProperties: false, examples: [{ name: 'events', distributionBin: 'repo_id' }] },
)
export type SetConfig = Static<typeof SetConfig>

export const SetPatch = Type.Object(
  {
    index: Type.Optional(Type.Boolean({ description: 'switch the set index on or off' })),
    threads: Type.Optional({ ...Threads, description: 'of the build of the set index' }),
    limits: Type.Optional(SetLimits),
  },
  { title: 'SetPatch', additionalProperties: false, examples: [{ index: true }] },
)

export const RecordSet = Type.Object(
  {
    name: Type.String({ description: "'' holds the records without a set" }),
    records: Count,
    bytes: Bytes,
    distributionBin: Type.Optional(Type.String()),
    index: Type.Object({
      state: choice(['off', 'building', 'on']),
      bytes: Bytes,
      jobId: Type.Optional(Type.String()),
    }),
    limits: SetLimits,
  },
  { title: 'RecordSet' },
)
export type RecordSet = Static<typeof RecordSet>

export const SetPage = page(RecordSet, 'SetPage')
