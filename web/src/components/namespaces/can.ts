import { t } from '../../language/text'
import type { Namespace } from '../../api/types'

export type Feature = Namespace['capabilities']['missing'][number]

/** Whether the engine of a namespace can do it. */
export const can = ({ capabilities }: Pick<Namespace, 'capabilities'>, feature: Feature): boolean =>
  !capabilities.missing.includes(feature)

/** What a page shows in place of a feature, as a heading. */
const WORDS: Record<Feature, string> = {
  segments: t('segments'),
  disks: t('disks of its own'),
  limits: t('limits of its size'),
}

/** What the engine of a namespace cannot do, in words; empty if it can do all. */
export const missingWords = ({ capabilities }: Pick<Namespace, 'capabilities'>): string =>
  capabilities.missing.map((feature) => WORDS[feature]).join(', ')
