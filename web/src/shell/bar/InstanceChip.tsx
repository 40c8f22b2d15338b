import { useStatusPart } from '../../components/use-status'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** Names the environment in the bar if it is staging or production, where a mistake would hurt, and a read-only server. */
export function InstanceChip() {
  const environment = useStatusPart((status) => status.environment) ?? 'development'
  const isReadOnly = useStatusPart((status) => status.readOnly) ?? false
  return (
    <>
      {isReadOnly && (
        <Tip text={t('This server refuses every change (TESSERA_READ_ONLY)')}>
          <strong className="chip warn">{t('read-only')}</strong>
        </Tip>
      )}
      {environment !== 'development' && (
        <strong className={`chip ${environment === 'production' ? 'bad' : 'warn'}`}>{environment}</strong>
      )}
    </>
  )
}
