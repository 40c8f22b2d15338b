import { Fragment } from 'react'
import type { About } from '../../api/types'
import { duration } from '../../format'
import { t } from '../../language/text'
import { Card } from '../../ui/Card'

type Start = NonNullable<About['start']>
type Part = Start['parts'][number]['part']

const words: Record<Part, string> = {
  runtime: t('Node.js itself'),
  code: t('code of gateway and engine'),
  settings: t('settings and token'),
  engine: t('opening the storage engine'),
  routes: t('the API and the files of the console'),
  listen: t('taking the port'),
}

/** How long the last start took, by part. */
export function StartCard({ start }: { start: Start | undefined }) {
  return (
    <Card
      title={t('Last start')}
      aside={start && t('{time} until it listened', { time: duration(start.totalMs / 1000) })}
    >
      {start === undefined ? (
        <p className="mute">{t('This server was started by another program, which did not measure it.')}</p>
      ) : (
        <dl className="facts">
          {start.parts.map(({ part, ms }) => (
            <Fragment key={part}>
              <dt>{words[part]}</dt>
              <dd>{duration(ms / 1000)}</dd>
            </Fragment>
          ))}
          <dt>{t('recovery of namespaces, behind it')}</dt>
          <dd>{start.recoveryMs === undefined ? t('none, or not done') : duration(start.recoveryMs / 1000)}</dd>
        </dl>
      )}
    </Card>
  )
}
