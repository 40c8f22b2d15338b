import type { NamespaceConfig } from '../../../api/types'
import type { NamespaceForm, Problems } from './fields'
import { t } from '../../../language/text'

const KIB = 1024
const MIB = 1024 ** 2
const GIB = 1024 ** 3
/** Fewest pages of a cache. */
const PAGES = 2048
/** The engine's defaults. */
const CACHE_MIB = 256
const LOG_MIB = 512
const CHECKPOINT_SECONDS = 300
const CHECKPOINT_SECONDS_MOST = 86_400
/** The log must hold two of its longest records, slightly over this size. */
const LOG_MIB_LEAST = 65

const pageBytes = ({ pageKib }: NamespaceForm): number => Number(pageKib) * KIB

/** Smallest cache for this page size, MiB. */
const leastCacheMib = (form: NamespaceForm): number => (PAGES * pageBytes(form)) / MIB

export function pagedProblems(form: NamespaceForm): Problems {
  const whole = (text: string, least: number): boolean =>
    text === '' || (/^\d{1,7}$/.test(text) && Number(text) >= least)
  return {
    ...(!whole(form.cacheMib, leastCacheMib(form)) && {
      cacheMib: t('At least {form} MiB, for 2,048 pages', { form: leastCacheMib(form) }),
    }),
    ...(!whole(form.logMib, LOG_MIB_LEAST) && {
      logMib: t('At least {logmibleast} MiB', { logmibleast: LOG_MIB_LEAST }),
    }),
    ...((!whole(form.checkpointSeconds, 1) || Number(form.checkpointSeconds) > CHECKPOINT_SECONDS_MOST) && {
      checkpointSeconds: t('1 to 86400 seconds (a day)'),
    }),
  }
}

/** Only the fields that were set; the engine has defaults for the rest. */
export function pagedSettings(form: NamespaceForm): Partial<NamespaceConfig['storage']> {
  return {
    pageBytes: pageBytes(form),
    ...(form.cacheMib !== '' && { cacheBytes: Number(form.cacheMib) * MIB }),
    ...(form.capacityGib !== '' && { capacityBytes: Math.round(Number(form.capacityGib) * GIB) }),
    ...(form.logMib !== '' && { checkpointLogBytes: Number(form.logMib) * MIB }),
    ...(form.checkpointSeconds !== '' && { checkpointIntervalSeconds: Number(form.checkpointSeconds) }),
    ...(form.flushIntervalMs !== '' && { flushIntervalMs: Number(form.flushIntervalMs) }),
    ...(form.cachedIo && { cachedIo: true }),
  }
}

/** Consequences of a page size, in figures. */
export interface PageMeaning {
  /** Longest key that the engine allows, bytes. */
  longestKey: number
  /** Size from which on a record has its own pages, bytes. */
  ownPages: number
  /** Pages that the cache holds. */
  cachedPages: number
  /** About how many records of 1 KiB fit into a page. */
  records: number
}

export function meaningOf(form: NamespaceForm): PageMeaning {
  const page = pageBytes(form)
  const knee = 16 * KIB
  const longestKey = page <= knee ? (page / 16) * 5 : (knee / 16) * 5 + Math.floor((page - knee) / 48) * 5
  const cacheMib = form.cacheMib === '' ? CACHE_MIB : Number(form.cacheMib)
  return {
    longestKey,
    ownPages: Math.floor(page / 3),
    cachedPages: Number.isFinite(cacheMib) ? Math.floor((cacheMib * MIB) / page) : 0,
    records: Math.floor(page / (KIB + 20)),
  }
}

export const defaults = {
  cacheMib: String(CACHE_MIB),
  logMib: String(LOG_MIB),
  checkpointSeconds: String(CHECKPOINT_SECONDS),
}
