"""What happens to the memories that the reader may see, as it happens: ids and kinds, no texts."""

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from whoknows.console.guard import Guarded
from whoknows.console.streaming import while_signed_in
from whoknows.console.viewer import reader_of, service_of, viewer_of
from whoknows.rest.answers import event as told
from whoknows.rest.streams import LastEventId, last_event, streamed

router = APIRouter(route_class=Guarded)


@router.get("/live", response_class=StreamingResponse)
async def live(request: Request, last_event_id: LastEventId = None) -> Response:
    """Ends with the session, as it ends with the key."""
    found = service_of(request).follow.events(await reader_of(request), last_event(last_event_id))
    viewer = viewer_of(request)
    return await streamed(while_signed_in(request, viewer.token, viewer.session, found), told)
