import { memo } from 'react'
import type { PagesReport } from '../../../api/types'
import { bytes, times } from '../../../format'
import { Card } from '../../../ui/Card'
import { t } from '../../../language/text'

/** Read and write amplification, with its formula. */
export const AmplificationCard = memo(function AmplificationCard({ traffic }: Pick<PagesReport, 'traffic'>) {
  const { recordsReadBytes, recordsWrittenBytes, pagesReadBytes, pagesWrittenBytes, logWrittenBytes } = traffic
  return (
    <Card title={t('Amplification')} aside={t('since the namespace was opened')}>
      <div className="stack-small">
        <p>
          <strong>{t('Reads {readAmplification}', { readAmplification: times(traffic.readAmplification) })}</strong>{' '}
          <span className="mute">{t('= pages read ÷ records read')}</span>
        </p>
        <dl className="facts">
          <dt>{t('pages read')}</dt>
          <dd>{bytes(pagesReadBytes)}</dd>
          <dt>{t('records read')}</dt>
          <dd>{bytes(recordsReadBytes)}</dd>
        </dl>
        <p>
          <strong>{t('Writes {writeAmplification}', { writeAmplification: times(traffic.writeAmplification) })}</strong>{' '}
          <span className="mute">{t('= (pages written + log written) ÷ records written')}</span>
        </p>
        <dl className="facts">
          <dt>{t('pages written')}</dt>
          <dd>{bytes(pagesWrittenBytes)}</dd>
          <dt>{t('log written')}</dt>
          <dd>{bytes(logWrittenBytes)}</dd>
          <dt>{t('records written')}</dt>
          <dd>{bytes(recordsWrittenBytes)}</dd>
        </dl>
        <p className="mute small">
          {t(
            'Reads during recovery are not counted. A read from the cache reads no page, so read amplification may be below 1×. A page that changes often between two checkpoints is written once.',
          )}
        </p>
      </div>
    </Card>
  )
})
