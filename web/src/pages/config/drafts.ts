import type { ServerConfigPatch, ServerSetting } from '../../api/types'
import { t } from '../../language/text'

/** What was typed and not applied yet, by key. Null: the file sets it no more, so the default holds. */
export type Drafts = Readonly<Record<string, string | null>>

/** Whether it can change here: a reload takes it, and neither flag nor variable sets it. */
export const isChangeable = ({ live, secret, source }: ServerSetting): boolean =>
  live && !secret && source !== 'flag' && source !== 'variable'

export const draftedText = (setting: ServerSetting, draft: string | null | undefined): string =>
  draft === undefined ? (setting.value ?? '') : (draft ?? setting.default)

/** What is wrong with a value as it was typed. The server looks again. */
export function problemOf({ form }: ServerSetting, draft: string | null | undefined): string | undefined {
  if (draft === undefined || draft === null) return undefined
  const { kind, min = 0, max = Number.MAX_SAFE_INTEGER } = form
  if (kind === 'duration' && !/^\d+(ms|s|m|h)$/.test(draft)) return t('Enter a duration, such as 30s or 10m.')
  if (kind !== 'integer') return undefined
  if (!/^\d{1,15}$/.test(draft)) return t('Enter a whole number.')
  return Number(draft) < min || Number(draft) > max ? t('Enter a number from {min} to {max}.', { min, max }) : undefined
}

/** The drafts that change something. */
export function patchOf(drafts: Drafts, settings: readonly ServerSetting[]): ServerConfigPatch['settings'] {
  const known = new Map(settings.map((setting) => [setting.key, setting]))
  return Object.fromEntries(
    Object.entries(drafts).filter(([key, draft]) => {
      const setting = known.get(key)
      if (setting === undefined) return false
      return draft === null ? setting.source === 'file' : draft !== setting.value
    }),
  )
}

export const isReady = (drafts: Drafts, settings: readonly ServerSetting[]): boolean =>
  settings.every((setting) => problemOf(setting, drafts[setting.key]) === undefined)
