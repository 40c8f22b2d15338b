// What `alerts/state.json` has: the alerts that fire or did, and what happened.
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { AlertEvent, AlertState } from '../schemas/alerts/alerts.js'
import { AlertRule } from '../schemas/alerts/rules.js'
import { hasOneCondition } from './rules/check.js'

/** Unix milliseconds that a date can have. */
const Moment = Type.Number({ minimum: 0, maximum: 8.64e15 })

const KeptWatch = Type.Object({
  rule: AlertRule,
  subject: Type.Object({
    namespace: Type.Optional(Type.String()),
    namespaceId: Type.Optional(Type.String()),
    disk: Type.Optional(Type.String()),
  }),
  standing: Type.Object({
    state: AlertState,
    sinceMs: Moment,
    holdsSinceMs: Type.Optional(Moment),
    clearSinceMs: Type.Optional(Moment),
    noDataSinceMs: Type.Optional(Moment),
  }),
  told: Type.Boolean(),
})

/** Events are newest first. */
const StateFile = Type.Object({ watches: Type.Array(KeptWatch), events: Type.Array(AlertEvent) })
export type StateFile = Static<typeof StateFile>

export const isStateFile = (body: unknown): body is StateFile =>
  Check(StateFile, body) && body.watches.every(({ rule }) => hasOneCondition(rule))
