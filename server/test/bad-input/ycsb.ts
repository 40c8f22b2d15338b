// The HTTP face for YCSB's client: names and keys that are not legal, bodies that are none or too large.
import { type Case, long } from './case.js'

const Y = '/ycsb/good/usertable'
const xml = { 'content-type': 'application/xml' }

export const ycsb: Case[] = [
  [`GET ${Y}/absent`, 404, 'record_not_found'],
  [`DELETE ${Y}/absent`, 404, 'record_not_found'],
  ['GET /ycsb/absent/usertable/user1', 404, 'namespace_not_found'],
  ['PUT /ycsb/absent/usertable/user1', 404, 'namespace_not_found', 'x', xml],
  ['GET /ycsb/../usertable/user1', 404, 'route_not_found'],
  ['GET /ycsb/a%2fb/usertable/user1', 400, 'name_invalid'],
  ['PUT /ycsb/good/a%20b/user1', 400, 'name_invalid', 'x', xml],
  [`PUT /ycsb/good/${long(64)}/user1`, 400, 'name_invalid', 'x', xml],
  [`PUT ${Y}/${long(9000)}`, 400, 'key_too_long', 'x', xml],
  [`GET ${Y}/${long(9000)}`, 400, 'key_too_long'],
  [`PUT ${Y}/`, 400, 'key_invalid', 'x', xml],
  [`PUT ${Y}/user1`, 400, 'body_missing'],
  [`POST ${Y}/user1`, 400, 'body_missing', '', xml],
  [`PUT ${Y}/user1`, 413, 'body_too_large', Buffer.alloc(256 * 1024 + 1), xml],
  [`PUT ${Y}/user1`, 413, 'record_too_large', Buffer.alloc(5000), xml],
  [`PUT ${Y}/user1`, 415, 'encoding_unsupported', 'x', { ...xml, 'content-encoding': 'gzip' }],
  [`PUT ${Y}/user1?ttlSeconds=5`, 400, 'field_unknown', 'x', xml],
  [`GET ${Y}/user1`, 406, 'not_acceptable', null, { accept: 'text/html' }],
  [`PATCH ${Y}/user1`, 405, 'method_not_allowed', 'x', xml],
  ['GET /ycsb/good/usertable', 404, 'route_not_found'],
]
