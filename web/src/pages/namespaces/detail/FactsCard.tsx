import type { Namespace } from '../../../api/types'
import { isOpen } from '../../../components/namespaces/namespace-states'
import { dateTime } from '../../../format'
import { Card } from '../../../ui/Card'
import { Ago } from '../../../ui/Time'
import { t } from '../../../language/text'

/** Creation, last write and capabilities of a namespace. */
export function FactsCard({ namespace }: { namespace: Namespace }) {
  const { createdAt, lastWriteAt, capabilities, config } = namespace
  return (
    <Card title={t('Facts')}>
      <dl className="facts">
        <dt>{t('created')}</dt>
        <dd>{dateTime(Date.parse(createdAt))}</dd>
        {/* Other servers write to a cluster too. */}
        {isOpen(namespace) && capabilities.counts === 'exact' && (
          <>
            <dt>{t('last write')}</dt>
            <dd>
              <Ago time={lastWriteAt} />
            </dd>
          </>
        )}
        <dt>{t('set indexes')}</dt>
        <dd>{capabilities.setIndex ? t('yes') : t('no')}</dd>
        <dt>{t('document indexes')}</dt>
        <dd>{capabilities.documentIndex ? t('yes') : t('no')}</dd>
        <dt>{t('range indexes')}</dt>
        <dd>{capabilities.rangeIndex ? t('yes') : t('no')}</dd>
        <dt>{t('durability')}</dt>
        <dd>{config.storage.engine === 'cassandra' ? t('the cluster decides') : capabilities.durability.join(', ')}</dd>
      </dl>
    </Card>
  )
}
