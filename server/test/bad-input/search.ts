// Query and scan.
import { type Case, N, NS, deep, json } from './case.js'

export const search: Case[] = ['query', 'scan'].flatMap((route): Case[] => [
  [`POST ${N}/${route}`, 400, 'body_missing'],
  [`POST ${N}/${route}`, 415, 'media_type_unsupported', 'x', { 'content-type': 'text/plain' }],
  [`POST ${N}/${route}`, 400, 'json_invalid', '{"set":', json],
  [`POST ${N}/${route}`, 400, 'json_duplicate_key', '{"set":"a","set":"b"}', json],
  [`POST ${N}/${route}`, 400, 'json_duplicate_key', '{"where":{"bin":"a","op":"eq","value":1,"value":2}}', json],
  [`POST ${N}/${route}`, 400, 'field_unknown', { sets: 'users' }],
  [`POST ${N}/${route}`, 400, 'name_invalid', { set: 'a/b' }],
  [`POST ${N}/${route}`, 400, 'field_invalid', { threads: 0 }],
  [`POST ${N}/${route}`, 400, 'field_invalid', { threads: 129 }],
  [`POST ${N}/${route}`, 400, 'field_invalid', { threads: '2' }],
  [`POST ${N}/${route}`, 400, 'field_invalid', { limit: 0 }],
  [`POST ${N}/${route}`, 400, 'field_invalid', { limit: 1.5 }],
  [`POST ${N}/${route}`, 400, 'cursor_invalid', { cursor: 'nowhere' }],
  [`POST ${N}/${route}`, 400, 'field_invalid', { explain: 'yes' }],
  [`POST ${N}/${route}`, 400, 'filter_invalid', { where: 1 }],
  [`POST ${N}/${route}`, 400, 'filter_invalid', { where: {} }],
  [`POST ${N}/${route}`, 400, 'filter_invalid', { where: { bin: 'a', op: 'like', value: 'b' } }],
  [`POST ${N}/${route}`, 400, 'filter_invalid', { where: { bin: 'a', op: 'eq' } }],
  [`POST ${N}/${route}`, 400, 'filter_invalid', { where: { and: 'all' } }],
  [`POST ${N}/${route}`, 400, 'filter_invalid', { where: { bin: 'a', op: 'eq', value: 1, colour: 'red' } }],
  [
    `POST ${N}/${route}`,
    400,
    'number_out_of_range',
    '{"where":{"bin":"a","op":"eq","value":99999999999999999999}}',
    json,
  ],
  [`POST ${N}/${route}`, 400, 'nesting_too_deep', `{"where":${deep(80)}}`, json],
  [`POST ${N}/${route}`, 406, 'not_acceptable', {}, { accept: 'text/csv' }],
  [`POST ${NS}/absent/${route}`, 404, 'namespace_not_found', {}],
  [`GET ${N}/${route}`, 405, 'method_not_allowed'],
])
search.push(
  [`POST ${N}/scan`, 400, 'field_invalid', { recordsPerSecond: -1 }],
  [`POST ${N}/scan`, 400, 'field_invalid', { useIndex: 'maybe' }],
  [`POST ${N}/scan`, 400, 'field_invalid', { bins: 'a,b' }],
  [`POST ${N}/query`, 400, 'field_invalid', { select: [1] }],
  [`POST ${N}/query`, 400, 'route_invalid', { set: 'users', route: 'x' }],
)
