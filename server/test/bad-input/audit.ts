// The audit log.
import { type Case, json } from './case.js'

const AUDIT = '/api/v1/audit'

export const audit: Case[] = [
  [`GET ${AUDIT}?limit=0`, 400, 'field_invalid'],
  [`GET ${AUDIT}?limit=1001`, 400, 'field_invalid'],
  [`GET ${AUDIT}?limit=1e2`, 400, 'field_invalid'],
  [`GET ${AUDIT}?cursor=nonsense`, 400, 'cursor_invalid'],
  [`GET ${AUDIT}?cursor=${Buffer.from('9:100').toString('base64url')}`, 400, 'cursor_invalid'],
  [`GET ${AUDIT}?cursor=${Buffer.from('-1:4').toString('base64url')}`, 400, 'cursor_invalid'],
  [`GET ${AUDIT}?cursor=${'a'.repeat(65)}`, 400, 'field_invalid'],
  [`GET ${AUDIT}?outcome=good`, 400, 'field_invalid'],
  [`GET ${AUDIT}?namespace=a%2Fb`, 400, 'name_invalid'],
  [`GET ${AUDIT}?who=`, 400, 'field_invalid'],
  [`GET ${AUDIT}?operation=${'a'.repeat(129)}`, 400, 'field_invalid'],
  [`GET ${AUDIT}?from=yesterday`, 400, 'field_invalid'],
  [`GET ${AUDIT}?from=2030-01-01T00:00:00Z&to=2020-01-01T00:00:00Z`, 400, 'field_invalid'],
  [`GET ${AUDIT}?address=1`, 400, 'field_unknown'],
  [`DELETE ${AUDIT}`, 405, 'method_not_allowed'],
  [`PUT ${AUDIT}/1`, 404, 'route_not_found', '{}', json],
  [`GET ${AUDIT}/export?format=csv`, 400, 'field_unknown'],
  [`GET ${AUDIT}/verify?head=abc`, 400, 'field_invalid'],
  [`GET ${AUDIT}/verify?head=${'A'.repeat(64)}`, 400, 'field_invalid'],
  [`POST ${AUDIT}/verify`, 405, 'method_not_allowed', '{}', json],
]
