import { CurlLine } from '../../components/CurlLine'
import { Card } from '../../ui/Card'
import { CodeBlock } from '../../ui/Copy'

/** How to get something to load: events shaped like a public archive's, made on this machine. */
export function SampleEventsCard({ ns }: { ns: string }) {
  const path = `/api/v1/namespaces/${encodeURIComponent(ns)}/import?set=events&key=event_id`
  return (
    <Card title="Sample events" aside="219,000 rows with nested payloads, about 2 KB each">
      <div className="stack">
        <p className="mute">No file at hand? In the repository, make one, then drop it here, or send it with curl:</p>
        <CodeBlock label="Make sample events" text="npm run --silent events -- --rows 219000 --seed 1 > events.csv" />
        <CurlLine method="POST" path={path} headers={{ 'Content-Type': 'text/csv' }} file="events.csv" />
      </div>
    </Card>
  )
}
