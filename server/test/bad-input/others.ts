// Live, history, sessions, and paths that are not there.
import { type Case, json } from './case.js'

export const others: Case[] = [
  ['GET /api/v1/live?topics=gossip', 400, 'field_invalid'],
  ['GET /api/v1/live?since=0', 400, 'field_unknown'],
  ['GET /api/v1/live', 406, 'not_acceptable', null, { accept: 'application/json;q=0, image/*' }],
  ['GET /api/v1/metrics/history?from=yesterday', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?from=2030-01-01T00:00:00Z&to=2020-01-01T00:00:00Z', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?from=2020-01-01T00:00:00Z&step=1s', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?step=1', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?step=0s', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?step=999ms', 400, 'field_invalid'],
  ['GET /api/v1/metrics/history?op=nap', 400, 'field_invalid'],
  ['POST /api/v1/status', 405, 'method_not_allowed', {}],
  ['DELETE /healthz', 405, 'method_not_allowed'],
  ['POST /metrics', 405, 'method_not_allowed', {}],
  ['GET /api/v1/clusters?verbose=1', 400, 'field_unknown'],
  ['POST /api/v1/clusters', 405, 'method_not_allowed', {}],
  ['GET /api/v1/nothing', 404, 'route_not_found'],
  ['POST /api/v1/nothing', 404, 'route_not_found', {}],
  ['POST /nothing', 404, 'route_not_found', {}],
  ['POST /nothing', 404, 'route_not_found', '{', json],
  ['GET /api/v2/status', 404, 'route_not_found'],
  ['POST /api/v1/auth/login', 400, 'field_unknown', { user: 'admin' }],
  ['POST /api/v1/auth/login', 400, 'field_invalid', { token: 1 }],
  ['GET /api/v1/auth/login', 405, 'method_not_allowed'],
]
