// The rules and the webhook: `alerts/rules.json` in the data directory. One change at a time.
import { randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Ids } from '../../auth/former.js'
import { GatewayError } from '../../errors.js'
import type { CheckedFile } from '../../files/checked-file.js'
import { newId } from '../../files/object-files.js'
import { momentMs } from '../../requests/moment.js'
import { AlertRule, type AlertRuleSpec, RULES_MAX } from '../../schemas/alerts/rules.js'
import type { AlertWebhookSpec } from '../../schemas/alerts/webhook.js'
import { Turns } from '../../turns.js'
import { type Clock, iso } from '../clock.js'
import { checkRule, hasOneCondition } from './check.js'
import { defaultRules } from './defaults.js'
import { say } from '../../sentences/sentence.js'

const YEAR_MS = 366 * 86_400_000

const KeptWebhook = Type.Object({
  url: Type.String(),
  secret: Type.String(),
  enabled: Type.Boolean(),
  secretSetAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
  who: Type.String(),
})
export type KeptWebhook = Static<typeof KeptWebhook>

/** Rules are oldest first. */
const RuleFile = Type.Object({ rules: Type.Array(AlertRule), webhook: Type.Optional(KeptWebhook) })
export type RuleFile = Static<typeof RuleFile>

const isRuleFile = (body: unknown): body is RuleFile => Check(RuleFile, body) && body.rules.every(hasOneCondition)

export const ruleNotFound = (id: string): GatewayError =>
  new GatewayError('alert_rule_not_found', say('there is no alert rule "{id}"', { id: id.slice(0, 32) }), {
    field: 'id',
  })

export class RuleBook {
  readonly #file: CheckedFile<RuleFile>
  readonly #clock: Clock
  readonly #turns = new Turns()
  #content: RuleFile = { rules: [] }
  #ids: Ids | undefined
  /** The rules of a new server are not in the file yet. */
  #unwritten = false

  constructor(file: CheckedFile<RuleFile>, clock: Clock) {
    this.#file = file
    this.#clock = clock
  }

  /** The rules of the file; those of a new server if there is none. Returns what is damaged, and then writes nothing. */
  async load(ids: Ids): Promise<string | undefined> {
    this.#ids = ids
    const found = await this.#file.load(isRuleFile)
    if (found !== undefined && 'body' in found) {
      this.#content = found.body
      return undefined
    }
    const now = iso(this.#clock.now())
    const rules = Object.entries(defaultRules).map(([id, spec]): AlertRule => ({
      id,
      ...spec,
      createdAt: now,
      updatedAt: now,
      who: 'default',
    }))
    this.#content = { rules }
    this.#unwritten = found === undefined
    return found?.damage
  }

  /** Writes the rules of a new server, if they are not written yet. @throws GatewayError `data_directory_unavailable` */
  write(): Promise<void> {
    return this.#turns.take('', async () => {
      if (this.#unwritten) await this.#save(this.#content)
    })
  }

  list(): readonly AlertRule[] {
    return this.#content.rules
  }

  /** @throws GatewayError `alert_rule_not_found` */
  get(id: string): AlertRule {
    const found = this.#content.rules.find((rule) => rule.id === id)
    if (found === undefined) throw ruleNotFound(id)
    return found
  }

  muted({ mutedUntil }: AlertRule): boolean {
    return mutedUntil !== undefined && Date.parse(mutedUntil) > this.#clock.now()
  }

  /** @throws GatewayError `alert_rule_limit`, and the errors of `checkRule` */
  add(spec: AlertRuleSpec, who: string): Promise<AlertRule> {
    return this.#turns.take('', async () => {
      checkRule(spec)
      const { rules } = this.#content
      if (rules.length >= RULES_MAX)
        throw new GatewayError(
          'alert_rule_limit',
          say('all {most, number} alert rules are in use; delete one you no longer need', { most: RULES_MAX }),
        )
      const now = iso(this.#clock.now())
      const rule: AlertRule = { id: newId(), ...spec, ...this.#owner(spec), createdAt: now, updatedAt: now, who }
      await this.#save({ ...this.#content, rules: [...rules, rule] })
      return rule
    })
  }

  /** @throws GatewayError `alert_rule_not_found`, and the errors of `check` and `checkRule` */
  replace(id: string, spec: AlertRuleSpec, who: string, check: (rule: AlertRule) => void): Promise<AlertRule> {
    return this.#change(id, (before) => {
      check(before)
      checkRule(spec)
      const { createdAt, mutedUntil } = before
      const updatedAt = iso(this.#clock.now())
      return {
        id,
        ...spec,
        ...this.#owner(spec),
        createdAt,
        updatedAt,
        who,
        ...(mutedUntil !== undefined && { mutedUntil }),
      }
    })
  }

  /** @throws GatewayError `alert_rule_not_found`, and the errors of `check` */
  async remove(id: string, check: (rule: AlertRule) => void): Promise<AlertRule> {
    const rule = this.get(id)
    await this.#change(id, (before) => {
      check(before)
      return undefined
    })
    return rule
  }

  /**
   * `until` unset: it sends notices again.
   *
   * @throws GatewayError `alert_rule_not_found`, `field_invalid`, and the errors of `check`
   */
  mute(id: string, until: string | undefined, check: (rule: AlertRule) => void): Promise<AlertRule> {
    return this.#change(id, (before) => {
      check(before)
      const { mutedUntil: _, ...rule } = before
      if (until === undefined) return rule
      const [end, now] = [momentMs(until), this.#clock.now()]
      if (end <= now || end > now + YEAR_MS)
        throw new GatewayError(
          'field_invalid',
          say('until must be in the future, at most a year ahead, got {until}', { until }),
          {
            field: 'until',
          },
        )
      return { ...rule, mutedUntil: iso(end) }
    })
  }

  /** @throws GatewayError `alert_webhook_missing` */
  webhook(): KeptWebhook {
    const { webhook } = this.#content
    if (webhook === undefined)
      throw new GatewayError(
        'alert_webhook_missing',
        say('there is no webhook; set one with PUT /api/v1/alerts/webhook'),
      )
    return webhook
  }

  get hasWebhook(): boolean {
    return this.#content.webhook !== undefined
  }

  /** Where notices go; undefined: nowhere. */
  get receiver(): KeptWebhook | undefined {
    const { webhook } = this.#content
    return webhook?.enabled === true ? webhook : undefined
  }

  /** Returns the secret only if it made one. */
  setWebhook(
    { url, secret, enabled = true }: AlertWebhookSpec,
    who: string,
    check: (webhook: KeptWebhook | undefined) => void,
  ): Promise<{ webhook: KeptWebhook; made: string | undefined }> {
    return this.#turns.take('', async () => {
      const before = this.#content.webhook
      check(before)
      const updatedAt = iso(this.#clock.now())
      const made = secret === undefined && before === undefined ? randomBytes(24).toString('base64url') : undefined
      const next = secret ?? made ?? before?.secret ?? ''
      const secretSetAt = next === before?.secret ? before.secretSetAt : updatedAt
      const webhook = { url, secret: next, enabled, secretSetAt, updatedAt, who }
      await this.#save({ ...this.#content, webhook })
      return { webhook, made }
    })
  }

  removeWebhook(check: (webhook: KeptWebhook) => void): Promise<KeptWebhook> {
    return this.#turns.take('', async () => {
      const before = this.webhook()
      check(before)
      await this.#save({ rules: this.#content.rules })
      return before
    })
  }

  #change<T extends AlertRule | undefined>(id: string, change: (before: AlertRule) => T): Promise<T> {
    return this.#turns.take('', async () => {
      const before = this.get(id)
      const after = change(before)
      const rules = this.#content.rules.flatMap((rule) =>
        rule !== before ? [rule] : after === undefined ? [] : [after],
      )
      await this.#save({ ...this.#content, rules })
      return after
    })
  }

  /** It watches the namespace that has the name now. */
  #owner({ namespace }: AlertRuleSpec): { namespaceId?: string } {
    return namespace === undefined || this.#ids === undefined ? {} : { namespaceId: this.#ids.tenureOf(namespace).id }
  }

  /** What cannot be written does not hold. */
  async #save(content: RuleFile): Promise<void> {
    await this.#file.save(content)
    this.#content = content
    this.#unwritten = false
  }
}
