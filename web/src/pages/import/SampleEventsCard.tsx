import { CurlLine } from '../../components/CurlLine'
import { Card } from '../../ui/Card'

const events = '/api/v1/sample-events?rows=20000&seed=1'

/** How to get something to load: events shaped like a public archive's, made by the gateway as they are read. */
export function SampleEventsCard({ ns }: { ns: string }) {
  const path = `/api/v1/namespaces/${encodeURIComponent(ns)}/import?set=events&key=event_id`
  return (
    <Card title="Sample events" aside="rows with nested payloads, about 2 KB each">
      <div className="stack">
        <p className="mute">
          No file at hand?{' '}
          <a href={events} download="events.csv">
            Download 20,000 events
          </a>{' '}
          and drop them here, or make as many as you want with curl and send them:
        </p>
        <CurlLine method="GET" path={events} />
        <CurlLine method="POST" path={path} headers={{ 'Content-Type': 'text/csv' }} file="events.csv" />
      </div>
    </Card>
  )
}
