-- The log had this index twice, so that every row paid for both: usage_log_cursor is the same.
DROP INDEX usage_log_xid;
