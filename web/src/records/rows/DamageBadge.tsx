import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** Stands in for a damaged record; its tip has the digest and the reason. */
export function DamageBadge({ message, digest }: { message: string; digest: string }) {
  return (
    <Tip text={`${message} (${digest})`}>
      <span className="badge bad">{t('damaged')}</span>
    </Tip>
  )
}
