import { here } from '../../base-path'
import { CurlLine } from '../../components/CurlLine'
import { Card } from '../../ui/Card'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

const events = '/api/v1/sample-events?rows=20000&seed=1'

/** Sample data to import: generated events shaped like those of a public archive. */
export function SampleEventsCard({ ns }: { ns: string }) {
  const path = `/api/v1/namespaces/${encodeURIComponent(ns)}/import?set=events&key=event_id`
  return (
    <Card title={t('Sample events')} aside={t('rows with nested payloads, about 2 KB each')}>
      <div className="stack">
        <p className="mute">
          <Say
            text="No file? <a>Download 20,000 events</a> and drop the file here. Or generate any number with curl and import them:"
            values={{
              a: (parts) => (
                <a href={here(events)} download="events.csv">
                  {parts}
                </a>
              ),
            }}
          />
        </p>
        <CurlLine method="GET" path={events} />
        <CurlLine method="POST" path={path} headers={{ 'Content-Type': 'text/csv' }} file="events.csv" />
      </div>
    </Card>
  )
}
