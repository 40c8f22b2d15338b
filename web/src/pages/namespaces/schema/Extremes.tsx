import type { BinProfile } from '../../../api/types'
import { extremesOf } from './profile-words'
import { t } from '../../../language/text'
import { Tip } from '../../../ui/Tip'

/** The least and the greatest value on one line; the pointer shows both whole. */
export function Extremes({ of }: { of: Pick<BinProfile, 'numbers' | 'strings'> }) {
  const extremes = extremesOf(of)
  if (extremes === undefined) return <span className="mute">–</span>
  const [least, greatest] = extremes
  return (
    <Tip cut text={t('{least} to {greatest}', { least, greatest })}>
      <span className="extremes">
        <code>{least}</code> <span className="mute">{t('to')}</span> <code>{greatest}</code>
      </span>
    </Tip>
  )
}
