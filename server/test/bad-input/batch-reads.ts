// Records read by many keys at once.
import { gzipSync } from 'node:zlib'
import { type Case, N, NS, json, long, ndjson } from './case.js'

export const batchReads: Case[] = [
  [`POST ${N}/sets/users/read`, 400, 'body_missing', '', ndjson],
  [`POST ${N}/sets/users/read`, 415, 'media_type_unsupported', '"a"', { 'content-type': 'text/plain' }],
  [`POST ${N}/sets/users/read`, 415, 'encoding_unsupported', '"a"', { ...ndjson, 'content-encoding': 'compress' }],
  [`POST ${N}/sets/users/read`, 415, 'encoding_unsupported', '"a"', { ...ndjson, 'content-encoding': 'gzip, gzip' }],
  [`POST ${N}/sets/users/read`, 400, 'encoding_invalid', '"a"', { ...ndjson, 'content-encoding': 'gzip' }],
  [`POST ${N}/sets/users/read`, 400, 'encoding_invalid', '"a"', { ...ndjson, 'content-encoding': 'br' }],
  [
    `POST ${N}/sets/users/read`,
    400,
    'encoding_invalid',
    gzipSync('"a"'.repeat(1000)).subarray(0, 20),
    { ...ndjson, 'content-encoding': 'gzip' },
  ],
  [`POST ${N}/sets/users/read`, 400, 'body_missing', gzipSync(''), { ...ndjson, 'content-encoding': 'gzip' }],
  [
    `POST ${N}/sets/users/read`,
    413,
    'body_too_large',
    gzipSync(Buffer.alloc(8 * 1024 * 1024, 0x20)),
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
