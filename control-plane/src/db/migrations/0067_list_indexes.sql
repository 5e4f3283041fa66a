-- Credit notes are few among the invoices, and messages of gateways to be reviewed are few among all: both lists were read whole.
CREATE INDEX "invoice_credit_notes" ON "invoice" ("issued_at", "id") WHERE "kind" = 'credit_note';
--> statement-breakpoint
CREATE INDEX "gateway_event_result" ON "gateway_event" ("result", "received_at", "id");
