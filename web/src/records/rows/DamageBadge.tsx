import { t } from '../../language/text'

/** Stands in for a damaged record; its title has the digest and the reason. */
export function DamageBadge({ message, digest }: { message: string; digest: string }) {
  return (
    <span className="badge bad" title={`${message} (${digest})`}>
      {t('damaged')}
    </span>
  )
}
