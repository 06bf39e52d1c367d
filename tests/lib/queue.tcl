# queue.tcl -- a queue in test.db, as the tests of the queue see it.

# The rows of Deno's two tables, told apart by a word.
proc waiting {{h db}} {
  $h eval {SELECT id, backoff_schedule, keys_if_undelivered FROM queue ORDER BY ts, id}
}
proc counts {{h db}} {
  $h eval {SELECT (SELECT count(*) FROM queue), (SELECT count(*) FROM queue_running)}
}
proc empty {} { db eval {DELETE FROM kv_queue} }
# Let $ms pass for all messages.
proc later {ms {h db}} {
  $h eval {
    UPDATE queue SET ts=ts-$ms;
    UPDATE queue_running SET deadline=deadline-$ms WHERE deadline<8210266876799999;
  }
}
proc state {id} { db onecolumn {SELECT state FROM kv_queue WHERE id=$id} }
# (What Tcl has as text is bound as TEXT.)
proc take {{lease 100000}} { db onecolumn {SELECT id FROM kv_dequeue(CAST($lease AS INTEGER))} }
proc finish {id ok} { db onecolumn {SELECT kv_finish($id, CAST($ok AS INTEGER))} }

