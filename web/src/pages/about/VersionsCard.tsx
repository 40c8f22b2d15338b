import { Fragment } from 'react'
import type { About } from '../../api/types'
import { dateTime } from '../../format'
import { t } from '../../language/text'
import { Card } from '../../ui/Card'
import { consoleBuild } from './console-build'

/** Which versions work together here. */
export function VersionsCard({ about }: { about: About }) {
  const { version, coreVersion, nodeVersion, platform, licence, startedAt } = about
  const facts = [
    [t('gateway'), version],
    [t('storage engine'), coreVersion],
    [t('console, build'), consoleBuild()],
    [t('Node.js'), nodeVersion],
    [t('platform'), platform],
    [t('licence'), licence],
    [t('started'), dateTime(Date.parse(startedAt))],
  ] as const
  return (
    <Card title={t('Versions')}>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </Card>
  )
}
