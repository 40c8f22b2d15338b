// Saved queries, their history, and sample events.
import { type Case, json, long } from './case.js'

const Q = '/api/v1/queries'
const good = { name: 'q', namespace: 'good', request: '{}' }

export const queries: Case[] = [
  [`POST ${Q}`, 400, 'body_missing'],
  [`POST ${Q}`, 400, 'field_missing', { name: 'q', namespace: 'good' }],
  [`POST ${Q}`, 400, 'field_unknown', { ...good, id: 'mine' }],
  [`POST ${Q}`, 400, 'field_invalid', { ...good, name: '' }],
  [`POST ${Q}`, 400, 'field_invalid', { ...good, name: long(121) }],
  [`POST ${Q}`, 400, 'name_invalid', { ...good, namespace: '../good' }],
  [`POST ${Q}`, 400, 'field_invalid', { ...good, request: { limit: 1 } }],
  [`POST ${Q}`, 400, 'field_invalid', { ...good, request: '[1]' }],
  [`POST ${Q}`, 400, 'json_invalid', { ...good, request: '{"limit":' }],
  [`POST ${Q}`, 400, 'json_duplicate_key', { ...good, request: '{"limit":1,"limit":2}' }],
  [`POST ${Q}`, 400, 'nesting_too_deep', { ...good, request: `{"where":${'['.repeat(70)}${']'.repeat(70)}}` }],
  [`POST ${Q}`, 400, 'field_invalid', { ...good, request: `{"a":"${long(65_536)}"}` }],
  [`POST ${Q}`, 413, 'body_too_large', `{"name":"${long(1_100_000)}"}`, json],
  [`GET ${Q}?limit=0`, 400, 'field_invalid'],
  [`GET ${Q}?namespace=a/b`, 400, 'name_invalid'],
  [`GET ${Q}?cursor=bm9uZQ`, 400, 'cursor_invalid'],
  [`GET ${Q}?sort=name`, 400, 'field_unknown'],
  [`GET ${Q}/none`, 404, 'query_not_found'],
  [`GET ${Q}/..%2F..%2Fadmin`, 404, 'query_not_found'],
  [`PUT ${Q}/none`, 404, 'query_not_found', good],
  [`DELETE ${Q}/none`, 404, 'query_not_found'],
  [`PATCH ${Q}/none`, 405, 'method_not_allowed', good],
  [`GET ${Q}/history?cursor=bm9uZQ`, 400, 'cursor_invalid'],
  [`POST ${Q}/history`, 405, 'method_not_allowed', {}],
  ['GET /api/v1/sample-events?rows=10000001', 400, 'field_invalid'],
  ['GET /api/v1/sample-events?rows=-1', 400, 'field_invalid'],
  ['GET /api/v1/sample-events?rows=ten', 400, 'field_invalid'],
  ['GET /api/v1/sample-events?first=1e30', 400, 'field_invalid'],
  ['GET /api/v1/sample-events?seed=0.5', 400, 'field_invalid'],
  ['GET /api/v1/sample-events?format=xml', 400, 'field_invalid'],
  ['GET /api/v1/sample-events?lines=1', 400, 'field_unknown'],
  ['POST /api/v1/sample-events', 405, 'method_not_allowed', {}],
]
