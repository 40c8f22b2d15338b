// Backups: bodies, ids.
import { type Case, N, json, memory } from './case.js'

const B = '/api/v1/backups'
const ID = '20200101T000000Z-00000000'

export const backups: Case[] = [
  [`POST ${N}/backups`, 400, 'json_invalid', '{"base":', json],
  [`POST ${N}/backups`, 400, 'field_invalid', []],
  [`POST ${N}/backups`, 400, 'field_unknown', { path: '/etc' }],
  [`POST ${N}/backups`, 400, 'field_unknown', { id: ID }],
  [`POST ${N}/backups`, 400, 'field_invalid', { base: 'latest' }],
  [`POST ${N}/backups`, 400, 'field_invalid', { base: '../../etc' }],
  [`POST ${N}/backups`, 400, 'field_invalid', { threads: 0 }],
  [`POST ${N}/backups`, 400, 'field_invalid', { threads: 129 }],
  [`POST ${N}/backups`, 400, 'field_invalid', { recordsPerSecond: -1 }],
  [`POST ${N}/backups?wait=soon`, 400, 'field_invalid', {}],
  [`POST ${N}/backups?dryRun=true`, 400, 'field_unknown', {}],
  [`POST ${N}/backups`, 404, 'backup_not_found', { base: ID }],
  [`GET ${B}/..%2f..%2fetc`, 404, 'backup_not_found'],
  [`GET ${B}/latest`, 404, 'backup_not_found'],
  [`GET ${B}/${ID}0`, 404, 'backup_not_found'],
  [`GET ${B}/${'x'.repeat(65)}`, 400, 'field_invalid'],
  [`GET ${B}/${ID}`, 404, 'backup_not_found'],
  [`GET ${B}?limit=0`, 400, 'field_invalid'],
  [`GET ${B}?namespace=a`, 400, 'field_unknown'],
  [`DELETE ${B}/${ID}`, 404, 'backup_not_found'],
  [`DELETE ${B}/manifest`, 404, 'backup_not_found'],
  [`POST ${B}/${ID}/verify`, 404, 'backup_not_found'],
  [`POST ${B}/${ID}/verify`, 400, 'field_invalid', { threads: 'two' }],
  [`POST ${B}/${ID}/verify`, 400, 'field_unknown', { recordsPerSecond: 1 }],
  [`POST ${B}/${ID}/resume`, 404, 'backup_not_found'],
  [`POST ${B}/${ID}/resume`, 400, 'field_unknown', { base: ID }],
  [`POST ${B}/${ID}/restore`, 400, 'body_missing'],
  [`POST ${B}/${ID}/restore`, 400, 'field_missing', {}],
  [`POST ${B}/${ID}/restore`, 400, 'name_invalid', { namespace: '../x' }],
  [`POST ${B}/${ID}/restore`, 400, 'field_unknown', { namespace: 'x', target: '/tmp' }],
  [`POST ${B}/${ID}/restore`, 400, 'field_invalid', { namespace: 'x', merge: 'yes' }],
  [`POST ${B}/${ID}/restore`, 400, 'field_invalid', { namespace: 'x', storage: { engine: 'tape' } }],
  [`POST ${B}/${ID}/restore`, 400, 'config_invalid', { namespace: 'x', segments: 8 }],
  [`POST ${B}/${ID}/restore`, 404, 'backup_not_found', { namespace: 'x', storage: memory }],
]
