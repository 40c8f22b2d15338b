import { Link } from '@tanstack/react-router'
import { Page } from '../shell/Page'
import { Card } from '../ui/Card'
import { Empty } from '../ui/Empty'

/** Shown for an unknown address. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Card>
        <Empty
          title="This page does not exist"
          action={
            <Link to="/" className="btn primary">
              Go to the overview
            </Link>
          }
        >
          The address may be wrong, or what it showed was deleted.
        </Empty>
      </Card>
    </Page>
  )
}
