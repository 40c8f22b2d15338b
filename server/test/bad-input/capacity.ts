// The capacity planner.
import { type Case, json } from './case.js'

const PLAN = 'POST /api/v1/capacity'
const good = { engine: 'device', records: 1000, bins: [{ type: 'integer' }] }

export const capacity: Case[] = [
  [PLAN, 400, 'body_missing'],
  [PLAN, 400, 'json_invalid', '{"records":', json],
  [PLAN, 400, 'field_missing', {}],
  [PLAN, 400, 'field_missing', { engine: 'device', records: 1 }],
  [PLAN, 400, 'field_unknown', { ...good, discs: 3 }],
  [PLAN, 400, 'field_unknown', { ...good, bins: [{ type: 'integer', name: 'a' }] }],
  [PLAN, 400, 'field_invalid', { ...good, engine: 'tape' }],
  [PLAN, 400, 'field_invalid', { ...good, records: 0 }],
  [PLAN, 400, 'field_invalid', { ...good, records: -1 }],
  [PLAN, 400, 'field_invalid', { ...good, records: 1.5 }],
  [PLAN, 400, 'field_invalid', { ...good, records: 1e300 }],
  [PLAN, 400, 'field_invalid', { ...good, records: '1000' }],
  [PLAN, 400, 'field_invalid', { ...good, bins: [{ type: 'geo' }] }],
  [PLAN, 400, 'field_invalid', { ...good, bins: [{ type: 'string', nameBytes: 0 }] }],
  [PLAN, 400, 'field_invalid', { ...good, key: { type: 'string', bytes: 0 } }],
  [PLAN, 400, 'config_invalid', { ...good, key: { type: 'string' } }],
  [PLAN, 400, 'field_invalid', { ...good, key: { type: 'string', bytes: 8193 } }],
  [PLAN, 400, 'field_invalid', { ...good, sets: 65_535 }],
  [PLAN, 400, 'field_invalid', { ...good, replication: 0 }],
  [PLAN, 400, 'field_invalid', { ...good, utilisationPercent: 100 }],
  [PLAN, 400, 'field_invalid', { ...good, writesPerSecond: -1 }],
  [PLAN, 400, 'config_invalid', { ...good, writeBlockBytes: 100_000 }],
  [PLAN, 400, 'segment_count_invalid', { ...good, segments: 3 }],
  [PLAN, 400, 'segment_count_invalid', { ...good, segments: 1, records: 1e12 }],
  [PLAN, 400, 'single_bin', { ...good, singleBin: true, bins: [] }],
  [PLAN, 413, 'record_too_large', { ...good, bins: [{ type: 'string', bytes: 200_000 }] }],
  [`${PLAN}?explain=true`, 400, 'field_unknown', good],
  ['GET /api/v1/capacity', 405, 'method_not_allowed'],
]
