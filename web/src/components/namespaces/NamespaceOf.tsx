import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** The namespace that something is of, marked if it has its name no more. */
export function NamespaceOf({ namespace, former }: { namespace: string; former?: true | undefined }) {
  if (former !== true) return namespace
  return (
    <Tip text={t('The namespace is gone. None has its name now, or another one has it.')}>
      <span>{t('{namespace} (former)', { namespace })}</span>
    </Tip>
  )
}
