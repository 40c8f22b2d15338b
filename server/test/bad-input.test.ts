// Bad input on every route: a clear problem with a stable code, nothing lost, memory bounded.
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { bearer, useGateway } from './gateway.js'

type Headers = Record<string, string>
type Case = [line: string, status: number, code: string, body?: string | Buffer | object | null, headers?: Headers]

const json = { 'content-type': 'application/json' }
const ndjson = { 'content-type': 'application/x-ndjson' }
const csv = { 'content-type': 'text/csv' }
const gzip = { ...csv, 'content-encoding': 'gzip' }
const zstd = { ...csv, 'content-encoding': 'zstd' }

const NS = '/api/v1/namespaces'
const N = `${NS}/good`
const R = `${N}/sets/users/records`
const W = `${N}/records`
const memory = { engine: 'memory' }
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const long = (length: number) => 'n'.repeat(length)

const namespaces: Case[] = [
  [`POST ${NS}`, 400, 'body_missing', '', json],
  [`POST ${NS}`, 400, 'body_missing'],
  [`POST ${NS}`, 415, 'media_type_unsupported', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }],
  [`POST ${NS}`, 415, 'media_type_unsupported', '<a/>', { 'content-type': 'application/xml' }],
  [`POST ${NS}`, 415, 'encoding_unsupported', gzipSync('{}'), { ...json, 'content-encoding': 'gzip' }],
  [`POST ${NS}`, 415, 'encoding_unsupported', '{}', { ...json, 'content-encoding': 'br' }],
  [`POST ${NS}`, 400, 'json_invalid', '{"name":', json],
  [`POST ${NS}`, 400, 'json_invalid', '{"name":"a",}', json],
  [`POST ${NS}`, 400, 'json_invalid', '{"segments":NaN}', json],
  [`POST ${NS}`, 400, 'json_duplicate_key', '{"name":"a","name":"b","storage":{"engine":"memory"}}', json],
  [`POST ${NS}`, 400, 'json_duplicate_key', '{"name":"a","storage":{"engine":"memory","engine":"memory"}}', json],
  [`POST ${NS}`, 400, 'utf8_invalid', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), json],
  [`POST ${NS}`, 400, 'nesting_too_deep', deep(100), json],
  [`POST ${NS}`, 413, 'body_too_large', Buffer.alloc(1024 * 1024 + 1, 0x20), json],
  [`POST ${NS}`, 400, 'field_invalid', '[]', json],
  [`POST ${NS}`, 400, 'field_invalid', '"text"', json],
  [`POST ${NS}`, 400, 'body_missing', 'null', json],
  [`POST ${NS}`, 400, 'field_missing', {}],
  [`POST ${NS}`, 400, 'field_missing', { name: 'a' }],
  [`POST ${NS}`, 400, 'field_missing', { name: 'a', storage: {} }],
  [`POST ${NS}`, 400, 'field_unknown', { name: 'a', storage: memory, colour: 'red' }],
  [`POST ${NS}`, 400, 'field_unknown', { name: 'a', storage: { engine: 'memory', speed: 1 } }],
  [`POST ${NS}`, 400, 'field_unknown', '{"name":"a","storage":{"engine":"memory"},"__proto__":{"x":1}}', json],
  [`POST ${NS}`, 400, 'field_invalid', { name: 1, storage: memory }],
  [`POST ${NS}`, 400, 'field_invalid', { name: 'a', storage: { engine: 'tape' } }],
  [`POST ${NS}`, 400, 'field_invalid', { name: 'a', storage: 'memory' }],
  [`POST ${NS}`, 400, 'field_invalid', { name: 'a', storage: memory, segments: '16' }],
  [`POST ${NS}`, 400, 'field_invalid', { name: 'a', storage: memory, segments: 1.5 }],
  [`POST ${NS}`, 400, 'field_invalid', { name: 'a', storage: memory, segments: 0 }],
  [`POST ${NS}`, 400, 'field_invalid', { name: 'a', storage: memory, segments: 8192 }],
  [`POST ${NS}`, 400, 'segment_count_invalid', { name: 'a', storage: memory, segments: 100 }],
  [`POST ${NS}`, 400, 'field_invalid', { name: 'a', storage: memory, defaultTtlSeconds: -5 }],
  [`POST ${NS}`, 400, 'field_invalid', { name: 'a', storage: memory, durability: 'maybe' }],
  [`POST ${NS}`, 400, 'config_invalid', { name: 'a', storage: memory, maxRecordBytes: 1_000_000_000 }],
  [`POST ${NS}`, 400, 'ttl_invalid', { name: 'a', storage: memory, defaultTtlSeconds: 4_000_000_000 }],
  ...['', '.', '..', 'a/b', 'a b', 'a\u0000', 'é', '../../etc', '-\n', long(64)].map((name): Case => [
    `POST ${NS}`,
    400,
    'name_invalid',
    { name, storage: memory },
  ]),
  [`POST ${NS}`, 409, 'namespace_exists', { name: 'good', storage: memory }],
  [`POST ${NS}`, 406, 'not_acceptable', { name: 'a', storage: memory }, { accept: 'text/html' }],
  [`GET ${NS}?limit=0`, 400, 'field_invalid'],
  [`GET ${NS}?limit=many`, 400, 'field_invalid'],
  [`GET ${NS}?limit=1&limit=2`, 400, 'field_invalid'],
  [`GET ${NS}?cursor=nowhere`, 400, 'cursor_invalid'],
  [`GET ${NS}?color=red`, 400, 'field_unknown'],
  [`GET ${NS}`, 406, 'not_acceptable', null, { accept: 'application/xml, text/*;q=0.5' }],
  [`GET ${NS}/absent`, 404, 'namespace_not_found'],
  [`GET ${NS}/a%00b`, 400, 'name_invalid'],
  [`GET ${NS}/a%2Fb`, 400, 'name_invalid'],
  [`GET ${NS}/..%2f..%2fetc`, 400, 'name_invalid'],
  [`GET ${NS}/%zz`, 400, 'url_invalid'],
  [`GET ${NS}/%ff`, 400, 'url_invalid'],
  [`GET ${NS}/${long(64)}`, 400, 'name_invalid'],
  [`GET ${N}/`, 404, 'route_not_found'],
  [`PATCH ${N}`, 400, 'field_invalid', {}],
  [`PATCH ${N}`, 400, 'field_unknown', { segments: 32 }],
  [`PATCH ${N}`, 400, 'field_invalid', { defaultTtlSeconds: null }],
  [`PATCH ${N}`, 412, 'precondition_failed', { defaultTtlSeconds: 5 }, { ...json, 'if-match': '"old"' }],
  [`PATCH ${NS}/absent`, 404, 'namespace_not_found', { defaultTtlSeconds: 5 }],
  [`DELETE ${NS}/absent`, 404, 'namespace_not_found'],
  [`DELETE ${N}?dryRun=maybe`, 400, 'field_invalid'],
  [`DELETE ${N}?dryrun=true`, 400, 'field_unknown'],
  [`PUT ${N}`, 405, 'method_not_allowed', {}],
  [`GET ${NS}/absent/segments`, 404, 'namespace_not_found'],
  [`GET ${N}/size?set=a/b`, 400, 'name_invalid'],
  [`GET ${NS}/absent/size`, 404, 'namespace_not_found'],
]

const setsAndIndexes: Case[] = [
  [`POST ${N}/sets`, 400, 'field_missing', {}],
  [`POST ${N}/sets`, 400, 'name_invalid', { name: '..' }],
  [`POST ${N}/sets`, 400, 'field_invalid', { name: 's', distributionBin: '' }],
  [`POST ${N}/sets`, 400, 'field_invalid', { name: 's', index: 'yes' }],
  [`POST ${N}/sets`, 400, 'field_unknown', { name: 's', indexed: true }],
  [`POST ${N}/sets`, 409, 'set_not_empty', { name: 'users', distributionBin: 'city' }],
  [`POST ${NS}/absent/sets`, 404, 'namespace_not_found', { name: 's' }],
  [`GET ${N}/sets/none`, 404, 'set_not_found'],
  [`GET ${N}/sets/a%2Fb`, 400, 'name_invalid'],
  [`PATCH ${N}/sets/users`, 400, 'field_missing', {}],
  [`PATCH ${N}/sets/users`, 400, 'field_invalid', { index: 1 }],
  [`PATCH ${N}/sets/users`, 400, 'field_invalid', { index: true, threads: 0 }],
  [`PATCH ${N}/sets/users`, 400, 'field_invalid', { index: true, threads: 129 }],
  [`PATCH ${N}/sets/users?wait=soon`, 400, 'field_invalid', { index: true }],
  [`PATCH ${N}/sets/none`, 404, 'set_not_found', { index: true }],
  [`DELETE ${N}/sets/none`, 404, 'set_not_found'],
  [`DELETE ${N}/sets/users?dryRun=1x`, 400, 'field_invalid'],
  [`POST ${N}/indexes`, 400, 'field_missing', { name: 'i', bin: 'b' }],
  [`POST ${N}/indexes`, 400, 'field_missing', { name: 'i', kind: 'range' }],
  [`POST ${N}/indexes`, 400, 'field_invalid', { name: 'i', bin: 'b', kind: 'tree' }],
  [`POST ${N}/indexes`, 400, 'field_invalid', { name: 'i', bin: '', kind: 'range' }],
  [`POST ${N}/indexes`, 400, 'field_invalid', { name: 'i', bin: long(256), kind: 'range' }],
  [`POST ${N}/indexes`, 400, 'name_invalid', { name: 'a/b', bin: 'b', kind: 'range' }],
  [`POST ${N}/indexes`, 400, 'field_invalid', { name: 'i', bin: 'b', kind: 'range', threads: 1e9 }],
  [`POST ${N}/indexes`, 400, 'field_unknown', { name: 'i', bin: 'b', kind: 'range', unique: true }],
  [`POST ${N}/indexes`, 409, 'index_exists', { name: 'docs', bin: 'other', kind: 'document' }],
  [`POST ${NS}/absent/indexes`, 404, 'namespace_not_found', { name: 'i', bin: 'b', kind: 'range' }],
  [`GET ${N}/indexes/none`, 404, 'index_not_found'],
  [`DELETE ${N}/indexes/none`, 404, 'index_not_found'],
  [`PUT ${N}/indexes/docs`, 405, 'method_not_allowed', {}],
]

const records: Case[] = [
  [`GET ${R}/none`, 404, 'record_not_found'],
  [`GET ${R}/ada?keytype=integer`, 400, 'key_invalid'],
  [`GET ${R}/9223372036854775808?keytype=integer`, 400, 'number_out_of_range'],
  [`GET ${R}/1.5?keytype=integer`, 400, 'key_invalid'],
  [`GET ${R}/!!?keytype=bytes`, 400, 'key_invalid'],
  [`GET ${R}/AAEC?keytype=digest`, 400, 'key_invalid'],
  [`GET ${R}/ada?keytype=uuid`, 400, 'field_invalid'],
  [`GET ${R}/ada?bin=name`, 400, 'field_unknown'],
  [`GET ${R}/${long(8193)}`, 400, 'key_too_long'],
  [`GET ${R}/${long(25_000)}`, 404, 'route_not_found'],
  [`GET ${R}/%E0%A4%A`, 400, 'url_invalid'],
  [`GET ${NS}/absent/sets/users/records/ada`, 404, 'namespace_not_found'],
  [`GET ${N}/sets/..%2F/records/ada`, 400, 'name_invalid'],
  [`GET ${R}/ada`, 406, 'not_acceptable', null, { accept: 'image/png' }],
  [`PUT ${R}/x`, 400, 'body_missing', '', json],
  [`PUT ${R}/x`, 415, 'media_type_unsupported', '{}', { 'content-type': 'text/plain' }],
  [`PUT ${R}/x`, 415, 'encoding_unsupported', gzipSync('{}'), { ...json, 'content-encoding': 'gzip' }],
  [`PUT ${R}/x`, 413, 'body_too_large', Buffer.alloc(256 * 1024 + 1, 0x20), json],
  [`PUT ${R}/x`, 400, 'json_invalid', '{"a":', json],
  [`PUT ${R}/x`, 400, 'json_invalid', '{"a":1}}', json],
  [`PUT ${R}/x`, 400, 'json_invalid', '[1,2]', json],
  [`PUT ${R}/x`, 400, 'json_invalid', '{"a":NaN}', json],
  [`PUT ${R}/x`, 400, 'json_invalid', '{"a":-Infinity}', json],
  [`PUT ${R}/x`, 400, 'json_invalid', '{"a":01}', json],
  [`PUT ${R}/x`, 400, 'json_invalid', '{"a":"\u0001"}', json],
  [`PUT ${R}/x`, 400, 'json_duplicate_key', '{"a":1,"a":2}', json],
  [`PUT ${R}/x`, 400, 'json_duplicate_key', '{"a":{"b":1,"b":2}}', json],
  [`PUT ${R}/x`, 400, 'number_out_of_range', '{"a":9223372036854775808}', json],
  [`PUT ${R}/x`, 400, 'number_out_of_range', '{"a":-9223372036854775809}', json],
  [`PUT ${R}/x`, 400, 'number_out_of_range', '{"a":1e400}', json],
  [`PUT ${R}/x`, 400, 'utf8_invalid', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0x28, 0x22, 0x7d]), json],
  [`PUT ${R}/x`, 400, 'nesting_too_deep', `{"a":${deep(100)}}`, json],
  [`PUT ${R}/x`, 400, 'nesting_too_deep', `{"a":${'['.repeat(100_000)}`, json],
  [`PUT ${R}/x`, 400, 'bin_name_invalid', '{"":1}', json],
  [`PUT ${R}/x`, 400, 'bin_name_invalid', `{"${long(256)}":1}`, json],
  [`PUT ${R}/x`, 400, 'bin_name_invalid', '{"a\\u0000":1}', json],
  [`PUT ${R}/x`, 400, 'too_many_bins', `{${Array.from({ length: 4097 }, (_, i) => `"b${i}":1`).join(',')}}`, json],
  [`PUT ${R}/x`, 413, 'record_too_large', `{"a":"${long(5000)}"}`, json],
  [`PUT ${R}/x?ttlSeconds=-3`, 400, 'field_invalid', '{"a":1}', json],
  [`PUT ${R}/x?ttlSeconds=4000000000`, 400, 'ttl_invalid', '{"a":1}', json],
  [`PUT ${R}/x?ttlSeconds=soon`, 400, 'field_invalid', '{"a":1}', json],
  [`PUT ${R}/x?ttl=5`, 400, 'field_unknown', '{"a":1}', json],
  [`PUT ${R}/${long(8193)}`, 400, 'key_too_long', '{"a":1}', json],
  [`PUT ${NS}/absent/sets/s/records/x`, 404, 'namespace_not_found', '{"a":1}', json],
  [`PUT ${N}/sets/${long(64)}/records/x`, 400, 'name_invalid', '{"a":1}', json],
  [`PUT ${R}/ada`, 412, 'record_exists', '{"a":1}', { ...json, 'if-none-match': '*' }],
  [`PUT ${R}/ada`, 400, 'field_invalid', '{"a":1}', { ...json, 'if-none-match': '"1"' }],
  [`PUT ${R}/ada`, 412, 'generation_mismatch', '{"a":1}', { ...json, 'if-match': '"99"' }],
  [`PUT ${R}/ada`, 400, 'if_match_invalid', '{"a":1}', { ...json, 'if-match': 'one' }],
  [`PUT ${R}/none`, 404, 'record_not_found', '{"a":1}', { ...json, 'if-match': '*' }],
  [`PATCH ${R}/none`, 404, 'record_not_found', '{"a":1}', json],
  [`PATCH ${R}/ada`, 400, 'json_invalid', 'a=1', json],
  [`PATCH ${R}/ada`, 412, 'generation_mismatch', '{"a":1}', { ...json, 'if-match': '"7"' }],
  [`DELETE ${R}/none`, 404, 'record_not_found'],
  [`DELETE ${R}/ada`, 412, 'generation_mismatch', null, { 'if-match': '"99"' }],
  [`DELETE ${R}/ada`, 400, 'if_match_invalid', null, { 'if-match': 'W/"1"' }],
  [`POST ${R}/ada`, 405, 'method_not_allowed', '{}', json],
  [`GET ${W}/none`, 404, 'record_not_found'],
  [`GET ${W}/1.5?keytype=integer`, 400, 'key_invalid'],
  [`GET ${W}?limit=0`, 400, 'field_invalid'],
  [`GET ${W}?set=users`, 400, 'field_unknown'],
  [`GET ${W}?cursor=!!!`, 400, 'cursor_invalid'],
  [`PUT ${W}/x`, 400, 'body_missing', '', json],
  [`PUT ${W}/x`, 400, 'json_invalid', '{"a":', json],
  [`PUT ${W}/x?set=users`, 400, 'field_unknown', '{"a":1}', json],
  [`PATCH ${W}/none`, 404, 'record_not_found', '{"a":1}', json],
  [`DELETE ${W}/none`, 404, 'record_not_found'],
  [`POST ${W}`, 400, 'body_missing', '', ndjson],
  [`POST ${W}`, 415, 'media_type_unsupported', '{}', { 'content-type': 'text/plain' }],
  [`GET ${NS}/absent/records`, 404, 'namespace_not_found'],
  [`POST ${N}/scan`, 400, 'name_invalid', { set: ' ' }],
  [`POST ${N}/scan`, 400, 'field_invalid', { set: null }],
  [`POST ${N}/query`, 400, 'name_invalid', { set: '..' }],
  [`GET ${N}/export?set=..`, 400, 'name_invalid'],
  [`GET ${N}/size?set=a/b`, 400, 'name_invalid'],
  [`GET ${R}?limit=0`, 400, 'field_invalid'],
  [`GET ${R}?limit=10001`, 400, 'field_invalid'],
  [`GET ${R}?limit=1e9`, 400, 'field_invalid'],
  [`GET ${R}?cursor=!!!`, 400, 'cursor_invalid'],
  [`GET ${R}?cursor=${long(5000)}`, 400, 'field_invalid'],
  [`GET ${R}?page=2`, 400, 'field_unknown'],
  [`POST ${R}`, 400, 'body_missing', '', ndjson],
  [`POST ${R}`, 415, 'media_type_unsupported', '{"key":"a","bins":{}}', json],
  [`POST ${R}?atomic=yes`, 400, 'field_invalid', '{}', ndjson],
  [`POST ${R}?exists=never`, 400, 'field_invalid', '{}', ndjson],
  [`POST ${R}`, 413, 'body_too_large', Buffer.alloc(256 * 1024 + 1, 0x0a), ndjson],
  [`POST ${NS}/absent/sets/s/records`, 404, 'namespace_not_found', '{"key":"a","bins":{}}', ndjson],
]

const batchReads: Case[] = [
  [`POST ${N}/sets/users/read`, 400, 'body_missing', '', ndjson],
  [`POST ${N}/sets/users/read`, 415, 'media_type_unsupported', '"a"', { 'content-type': 'text/plain' }],
  [
    `POST ${N}/sets/users/read`,
    415,
    'encoding_unsupported',
    gzipSync('"a"'),
    { ...ndjson, 'content-encoding': 'gzip' },
  ],
  [`POST ${N}/sets/users/read`, 413, 'body_too_large', Buffer.alloc(256 * 1024 + 1, 0x20), ndjson],
  [`POST ${N}/sets/users/read`, 400, 'json_invalid', '"ada', ndjson],
  [`POST ${N}/sets/users/read`, 400, 'json_invalid', '["ada",]', json],
  [`POST ${N}/sets/users/read`, 400, 'json_invalid', 'ada', ndjson],
  [`POST ${N}/sets/users/read`, 400, 'utf8_invalid', Buffer.from([0x22, 0xff, 0x22]), ndjson],
  [`POST ${N}/sets/users/read`, 400, 'key_invalid', '"ada"\n""', ndjson],
  [`POST ${N}/sets/users/read`, 400, 'key_invalid', '[1.5]', json],
  [`POST ${N}/sets/users/read`, 400, 'key_invalid', '[null]', json],
  [`POST ${N}/sets/users/read`, 400, 'key_invalid', '{"key":"ada"}', ndjson],
  [`POST ${N}/sets/users/read`, 400, 'encoding_invalid', '{"bytes":"?"}', ndjson],
  [`POST ${N}/sets/users/read`, 400, 'key_too_long', JSON.stringify(long(8193)), ndjson],
  [`POST ${N}/sets/users/read`, 400, 'config_invalid', '1\n'.repeat(10_001), ndjson],
  [`POST ${N}/sets/users/read?bin=a`, 400, 'field_unknown', '"ada"', ndjson],
  [`POST ${N}/sets/a%2Fb/read`, 400, 'name_invalid', '"ada"', ndjson],
  [`POST ${NS}/absent/sets/users/read`, 404, 'namespace_not_found', '"ada"', ndjson],
  [`POST ${N}/sets/users/read`, 406, 'not_acceptable', '"ada"', { ...ndjson, accept: 'text/csv' }],
  [`GET ${N}/sets/users/read`, 405, 'method_not_allowed'],
]

const search: Case[] = ['query', 'scan'].flatMap((route): Case[] => [
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

const load: Case[] = [
  [`POST ${N}/import?format=csv&key=id`, 400, 'body_missing'],
  [`POST ${N}/import`, 415, 'media_type_unsupported', 'x', { 'content-type': 'application/octet-stream' }],
  [`POST ${N}/import?format=xml`, 400, 'field_invalid', '<a/>', csv],
  [`POST ${N}/import?colour=red`, 400, 'field_unknown', 'id\n1\n', csv],
  [`POST ${N}/import?threads=0`, 400, 'field_invalid', 'id\n1\n', csv],
  [`POST ${N}/import?threads=many`, 400, 'field_invalid', 'id\n1\n', csv],
  [`POST ${N}/import?set=..`, 400, 'name_invalid', 'id\n1\n', csv],
  [`POST ${N}/import?mode=merge`, 400, 'field_invalid', 'id\n1\n', csv],
  [`POST ${N}/import?keyType=uuid`, 400, 'field_invalid', 'id\n1\n', csv],
  [`POST ${N}/import?types=id`, 400, 'field_invalid', 'id\n1\n', csv],
  [`POST ${N}/import?types=id:uuid`, 400, 'field_invalid', 'id\n1\n', csv],
  [`POST ${N}/import?dryRun=perhaps`, 400, 'field_invalid', 'id\n1\n', csv],
  [`POST ${N}/import?ttlSeconds=-9`, 400, 'field_invalid', 'id\n1\n', csv],
  [`POST ${N}/import?set=bad&key=none`, 400, 'column_unknown', 'id\n1\n', csv],
  [`POST ${N}/import?set=bad&key=id`, 415, 'encoding_unsupported', 'id\n1\n', { ...csv, 'content-encoding': 'br' }],
  [`POST ${N}/import?set=bad&key=id`, 400, 'encoding_invalid', 'this is not gzip', gzip],
  [`POST ${N}/import?set=bad&key=id`, 400, 'encoding_invalid', 'this is not zstd', zstd],
  [`POST ${N}/import?set=bad&key=id`, 400, 'encoding_invalid', gzipSync('id,a\n1,2\n').subarray(0, 12), gzip],
  [`POST ${NS}/absent/import?set=s`, 404, 'namespace_not_found', 'id\n1\n', csv],
  [`GET ${N}/import`, 405, 'method_not_allowed'],
  [`GET ${N}/export?format=xml`, 400, 'field_invalid'],
  [`GET ${N}/export?set=..`, 400, 'name_invalid'],
  [`GET ${N}/export?where=nonsense`, 400, 'json_invalid'],
  [`GET ${N}/export?where=%7B%7D`, 400, 'filter_invalid'],
  [`GET ${N}/export?threads=500`, 400, 'field_invalid'],
  [`GET ${N}/export?colums=a`, 400, 'field_unknown'],
  [`GET ${N}/export`, 406, 'not_acceptable', null, { accept: 'application/pdf' }],
  [`GET ${NS}/absent/export`, 404, 'namespace_not_found'],
  [`POST ${N}/export`, 405, 'method_not_allowed', {}],
]

const others: Case[] = [
  ['GET /api/v1/jobs/none', 404, 'job_not_found'],
  ['GET /api/v1/jobs/none?wait=1s', 404, 'job_not_found'],
  ['GET /api/v1/jobs/none?wait=1', 400, 'field_invalid'],
  ['GET /api/v1/jobs?state=bored', 400, 'field_invalid'],
  ['GET /api/v1/jobs?kind=nap', 400, 'field_invalid'],
  ['GET /api/v1/jobs?namespace=..', 400, 'name_invalid'],
  [`GET /api/v1/jobs/${long(65)}`, 400, 'field_invalid'],
  ['PATCH /api/v1/jobs/none', 404, 'job_not_found', { paused: true }],
  ['PATCH /api/v1/jobs/none', 400, 'field_invalid', {}],
  ['PATCH /api/v1/jobs/none', 400, 'field_unknown', { state: 'done' }],
  ['PATCH /api/v1/jobs/none', 400, 'field_invalid', { threads: 1000 }],
  ['PATCH /api/v1/jobs/none', 400, 'field_invalid', { paused: 'yes' }],
  ['DELETE /api/v1/jobs/none', 404, 'job_not_found'],
  ['PUT /api/v1/jobs', 405, 'method_not_allowed', {}],
  ['POST /api/v1/jobs', 400, 'body_missing'],
  ['POST /api/v1/jobs', 400, 'field_missing', {}],
  ['POST /api/v1/jobs', 400, 'field_missing', { kind: 'scan' }],
  ['POST /api/v1/jobs', 400, 'job_kind_unsupported', { kind: 'backup', namespace: 'good' }],
  ['POST /api/v1/jobs', 400, 'job_kind_unsupported', { kind: 'index-build', namespace: 'good' }],
  ['POST /api/v1/jobs', 400, 'job_kind_unsupported', { kind: '__proto__', namespace: 'good' }],
  ['POST /api/v1/jobs', 400, 'field_invalid', { kind: 7, namespace: 'good' }],
  ['POST /api/v1/jobs', 400, 'field_invalid', { kind: '', namespace: 'good' }],
  ['POST /api/v1/jobs', 400, 'field_unknown', { kind: 'scan', namespace: 'good', colour: 'red' }],
  ['POST /api/v1/jobs', 400, 'field_unknown', { kind: 'truncate', namespace: 'good', threads: 2 }],
  ['POST /api/v1/jobs', 400, 'field_unknown', { kind: 'count', namespace: 'good', useIndex: 'auto' }],
  ['POST /api/v1/jobs', 400, 'name_invalid', { kind: 'scan', namespace: '..' }],
  ['POST /api/v1/jobs', 400, 'name_invalid', { kind: 'scan', namespace: 'good', set: 'a/b' }],
  ['POST /api/v1/jobs', 404, 'namespace_not_found', { kind: 'scan', namespace: 'absent' }],
  ['POST /api/v1/jobs', 404, 'namespace_not_found', { kind: 'truncate', namespace: 'absent' }],
  ['POST /api/v1/jobs', 404, 'set_not_found', { kind: 'count', namespace: 'good', set: 'none' }],
  ['POST /api/v1/jobs', 404, 'set_not_found', { kind: 'truncate', namespace: 'good', set: 'none' }],
  ['POST /api/v1/jobs', 404, 'index_not_found', { kind: 'scan', namespace: 'good', set: 'users', useIndex: 'force' }],
  ['POST /api/v1/jobs', 400, 'field_invalid', { kind: 'scan', namespace: 'good', useIndex: 'often' }],
  ['POST /api/v1/jobs', 400, 'field_invalid', { kind: 'scan', namespace: 'good', threads: 0 }],
  ['POST /api/v1/jobs', 400, 'field_invalid', { kind: 'scan', namespace: 'good', recordsPerSecond: -1 }],
  ['POST /api/v1/jobs', 400, 'filter_invalid', { kind: 'count', namespace: 'good', where: { bin: 'a' } }],
  ['POST /api/v1/jobs?wait=soon', 400, 'field_invalid', { kind: 'scan', namespace: 'good' }],
  [
    'POST /api/v1/jobs',
    400,
    'idempotency_key_invalid',
    { kind: 'scan', namespace: 'good' },
    { ...json, 'idempotency-key': '' },
  ],
  [
    `POST ${NS}`,
    400,
    'idempotency_key_invalid',
    { name: 'a', storage: memory },
    { ...json, 'idempotency-key': 'two words' },
  ],
  [
    `POST ${NS}`,
    400,
    'idempotency_key_invalid',
    { name: 'a', storage: memory },
    { ...json, 'idempotency-key': long(256) },
  ],
  [
    `POST ${NS}`,
    400,
    'idempotency_key_invalid',
    { name: 'a', storage: memory },
    { ...json, 'idempotency-key': '"open' },
  ],
  [`POST ${N}/import?set=s`, 400, 'idempotency_key_unsupported', 'a,b', { ...csv, 'idempotency-key': 'k' }],
  ['GET /api/v1/live?topics=gossip', 400, 'field_invalid'],
  ['GET /api/v1/live?since=0', 400, 'field_unknown'],
  ['GET /api/v1/live', 406, 'not_acceptable', null, { accept: 'application/json;q=0, image/*' }],
  ['GET /api/v1/metrics/history?from=yesterday', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?from=2030-01-01T00:00:00Z&to=2020-01-01T00:00:00Z', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?from=2020-01-01T00:00:00Z&step=1s', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?step=1', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?op=nap', 400, 'field_invalid'],
  ['POST /api/v1/status', 405, 'method_not_allowed', {}],
  ['DELETE /healthz', 405, 'method_not_allowed'],
  ['POST /metrics', 405, 'method_not_allowed', {}],
  ['GET /api/v1/nothing', 404, 'route_not_found'],
  ['POST /api/v1/nothing', 404, 'route_not_found', {}],
  ['POST /nothing', 404, 'route_not_found', {}],
  ['GET /api/v2/status', 404, 'route_not_found'],
  ['POST /api/v1/auth/login', 400, 'field_unknown', { user: 'admin' }],
  ['POST /api/v1/auth/login', 400, 'field_invalid', { token: 1 }],
  ['GET /api/v1/auth/login', 405, 'method_not_allowed'],
]

describe('bad input', () => {
  const gateway = useGateway({ bodyLimitBytes: 256 * 1024 })
  let before: Record<string, unknown>

  /** All that could be lost. */
  async function snapshot() {
    const { send, ok } = gateway()
    const { config, records: count } = await ok<{ config: object; records: number }>(`GET ${N}`)
    return {
      config,
      count,
      ada: (await send(`GET ${R}/ada`)).text,
      names: (await ok<{ items: { name: string }[] }>(`GET ${NS}`)).items.map(({ name }) => name),
      indexes: (await ok<{ items: { name: string; entries: number }[] }>(`GET ${N}/indexes`)).items.map(
        ({ name, entries }) => [name, entries],
      ),
      sets: (await ok<{ items: { name: string; records: number }[] }>(`GET ${N}/sets`)).items.filter(
        (set) => set.records > 0,
      ),
    }
  }

  beforeAll(async () => {
    const { ok } = gateway()
    await ok(`POST ${NS}`, { body: { name: 'good', storage: memory, segments: 16, maxRecordBytes: 4096 } })
    await gateway().put('good/sets/users/records/ada', '{"name":"Ada","n":9007199254740993,"doc":{"a":1}}')
    await ok(`POST ${N}/indexes?wait=10s`, { body: { name: 'docs', set: 'users', bin: 'doc', kind: 'document' } })
    before = await snapshot()
  })

  test('there are at least 150 cases', () => {
    const all = [...namespaces, ...setsAndIndexes, ...records, ...search, ...load, ...others]
    expect(all.length).toBeGreaterThanOrEqual(150)
  })

  describe.each([
    ['namespaces', namespaces],
    ['sets and indexes', setsAndIndexes],
    ['records', records],
    ['batch reads', batchReads],
    ['query and scan', search],
    ['import and export', load],
    ['the rest', others],
  ])('%s', (_group, cases) => {
    test.each(cases.map((row) => [row[0].slice(0, 120), row[2], row] as const))('%s: %s', async (_line, _code, row) => {
      const [line, status, code, body, headers] = row
      const answer = await gateway().send(line, {
        ...(body !== undefined && body !== null && { body }),
        ...(headers !== undefined && { headers }),
      })
      expect(answer.headers['content-type'], answer.text).toContain('application/problem+json')
      const problem = answer.json<{ code: string; status: number; detail: string; requestId: string }>()
      expect([problem.code, answer.status], problem.detail).toEqual([code, status])
      expect(problem.status).toBe(status)
      expect(problem.detail).not.toBe('')
      expect(answer.headers['x-request-id']).toBe(problem.requestId)
      expect(answer.headers['allow'] ?? '').toMatch(status === 405 ? /^[A-Z]+(, [A-Z]+)*$/ : /^$/)
    })
  })

  describe('every operation of the document', () => {
    let operations: { method: string; path: string }[]
    const open = new Set(['/healthz', '/readyz', '/api/v1/auth/login'])

    beforeAll(async () => {
      const text = await readFile(new URL('../openapi.json', import.meta.url), 'utf8')
      const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> }
      operations = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => ({
          method: method.toUpperCase(),
          path: path.replaceAll(/\{\w+\}/g, 'x'),
        })),
      )
    })

    test('refuses a caller without, and with wrong, credentials', async () => {
      for (const { method, path } of operations.filter((operation) => !open.has(operation.path))) {
        for (const headers of [
          {},
          { authorization: `${bearer.authorization}x` },
          { authorization: 'Basic !' },
          { cookie: 'tessera_session=x' },
        ]) {
          const answer = await gateway().send(`${method} ${path}`, { anonymous: true, headers })
          expect(answer.status, `${method} ${path}`).toBe(401)
        }
      }
    })

    test('refuses methods that are not there, and says which are', async () => {
      const allowed = new Map<string, string[]>()
      for (const { method, path } of operations) allowed.set(path, [...(allowed.get(path) ?? []), method])
      for (const [path, methods] of allowed) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
          (one) => !methods.includes(one),
        )) {
          const answer = await gateway().send(`${method} ${path}`)
          expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(405)
          for (const one of methods) expect(answer.headers['allow']).toContain(one)
        }
      }
    })
  })

  describe('/v1 words its refusals its own way', () => {
    const kv = '/v1/kvs/good/users'
    test.each<[string, number, number | undefined, (string | Buffer)?]>([
      [`GET ${kv}/none`, 404, undefined],
      ['GET /v1/kvs/absent/users/ada', 404, 20],
      [`GET ${kv}/x?keytype=INTEGER`, 400, undefined],
      [`GET ${kv}/x?keytype=UUID`, 400, undefined],
      [`GET ${kv}/!?keytype=BYTES`, 400, undefined],
      [`GET ${kv}/ada?filterexp=YQ==`, 501, undefined],
      [`POST ${kv}/ada`, 409, 5, '{"a":1}'],
      [`POST ${kv}/new`, 400, undefined, ''],
      [`POST ${kv}/new`, 400, undefined, '{"a":'],
      [`POST ${kv}/new`, 400, 21, '{"sixteen-bytes-it":1}'],
      [`POST ${kv}/new?expiration=-3`, 400, undefined, '{"a":1}'],
      [`POST ${kv}/new?expiration=soon`, 400, undefined, '{"a":1}'],
      [`POST ${kv}/new?expiration=99999999999`, 400, undefined, '{"a":1}'],
      [`POST ${kv}/new?recordExistsAction=MAYBE`, 400, undefined, '{"a":1}'],
      [`POST ${kv}/new?generationPolicy=EXPECT`, 400, undefined, '{"a":1}'],
      [`PUT ${kv}/none`, 404, 2, '{"a":1}'],
      [`PATCH ${kv}/none`, 404, 2, '{"a":1}'],
      [`PUT ${kv}/ada?generation=9&generationPolicy=EXPECT_GEN_EQUAL`, 409, 3, '{"a":1}'],
      [`DELETE ${kv}/none`, 404, undefined],
      ['GET /v1/scan/absent', 404, 20],
      ['GET /v1/scan/good?maxRecords=few', 400, undefined],
      ['GET /v1/scan/good?from=nowhere', 400, undefined],
      ['GET /v1/index?namespace=absent', 404, 20],
      ['GET /v1/index/good/none', 404, 201],
      ['POST /v1/index', 400, undefined, '{"namespace":"good","name":"i","bin":"b","type":"TREE"}'],
      ['POST /v1/index', 400, undefined, '{"namespace":"good","name":"i","bin":"b","type":"NUMERIC","x":1}'],
      ['DELETE /v1/truncate/absent', 404, 20],
      ['DELETE /v1/truncate/good?date=yesterday', 400, undefined],
    ])('%s → %i, %s', async (line, status, code, body) => {
      const answer = await gateway().send(line, {
        headers: body === undefined ? {} : json,
        ...(body !== undefined && body !== null && { body }),
      })
      expect(answer.status, answer.text).toBe(status)
      const error = answer.json<{ message: string; inDoubt: boolean; internalErrorCode?: number }>()
      expect(error.message).not.toBe('')
      expect(error.inDoubt).toBe(false)
      expect(error.internalErrorCode).toBe(code)
    })
  })

  test('a batch of bad lines reports each and keeps its own answer small', async () => {
    const { send } = gateway()
    const answer = await send(`POST ${N}/sets/lines/records`, { body: 'nonsense\n'.repeat(20_000), headers: ndjson })
    expect(answer.status).toBe(200)
    expect(answer.json()).toMatchObject({ written: 0, rejectedTotal: 20_000 })
    expect(answer.json<{ rejected: object[] }>().rejected.length).toBeLessThanOrEqual(1000)
  })

  test('a zip bomb costs no more memory than any other upload', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, 'a'))
    const start = process.memoryUsage().rss
    const answer = await gateway().send(`POST ${N}/import?set=bomb&key=id`, { body: bomb, headers: gzip })
    expect(answer.status, answer.text.slice(0, 200)).toBeLessThan(500)
    expect(process.memoryUsage().rss - start).toBeLessThan(192 * 1024 * 1024)
  })

  test('nothing was lost and nothing was added', async () => {
    expect(await snapshot()).toEqual(before)
  })

  test('memory stays bounded under a thousand refusals', async () => {
    const body = Buffer.alloc(200 * 1024, 0x5b)
    const refuse = () => gateway().send(`PUT ${R}/x`, { body, headers: json })
    for (let i = 0; i < 100; i += 1) await refuse()
    const start = process.memoryUsage().rss
    for (let i = 0; i < 1000; i += 1) expect((await refuse()).status).toBe(400)
    expect(process.memoryUsage().rss - start).toBeLessThan(128 * 1024 * 1024)
  })
})
