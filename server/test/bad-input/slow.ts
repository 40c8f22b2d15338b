// Slow operations and their settings.
import { type Case, json } from './case.js'

const SLOW = '/api/v1/slow'

export const slow: Case[] = [
  [`GET ${SLOW}?op=fly`, 400, 'field_invalid'],
  [`GET ${SLOW}?op=get,`, 400, 'field_invalid'],
  [`GET ${SLOW}?op=get,reads`, 400, 'field_invalid'],
  [`GET ${SLOW}?namespace=a%2Fb`, 400, 'name_invalid'],
  [`GET ${SLOW}?set=a%2Fb`, 400, 'name_invalid'],
  [`GET ${SLOW}?since=yesterday`, 400, 'field_invalid'],
  [`GET ${SLOW}?until=7`, 400, 'field_invalid'],
  [`GET ${SLOW}?minMs=-1`, 400, 'field_invalid'],
  [`GET ${SLOW}?minMs=NaN`, 400, 'field_invalid'],
  [`GET ${SLOW}?belowMs=-1`, 400, 'field_invalid'],
  [`GET ${SLOW}?limit=0`, 400, 'field_invalid'],
  [`GET ${SLOW}?limit=1001`, 400, 'field_invalid'],
  [`GET ${SLOW}?group=key`, 400, 'field_invalid'],
  [`GET ${SLOW}?sort=key`, 400, 'field_invalid'],
  [`GET ${SLOW}?color=red`, 400, 'field_unknown'],
  [`POST ${SLOW}`, 405, 'method_not_allowed', '{}', json],
  [`DELETE ${SLOW}/settings`, 405, 'method_not_allowed'],
  [`PATCH ${SLOW}/settings`, 400, 'json_invalid', '{', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_invalid', '[]', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_invalid', '{"thresholdMs":0}', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_invalid', '{"thresholdMs":0.05}', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_invalid', '{"thresholdMs":3600001}', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_invalid', '{"thresholdMs":"fast"}', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_invalid', '{"thresholdMs":null}', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_invalid', '{"keepKeys":"no"}', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_invalid', '{"namespaces":{"shop":0}}', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_invalid', '{"namespaces":[]}', json],
  [`PATCH ${SLOW}/settings`, 400, 'field_unknown', '{"keepValues":true}', json],
  [`PATCH ${SLOW}/settings`, 404, 'namespace_not_found', '{"namespaces":{"absent":20}}', json],
]
