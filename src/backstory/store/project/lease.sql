-- name: get
SELECT owner, fencing, expires_at FROM leases WHERE key = ?

-- name: put
INSERT INTO leases (key, owner, fencing, expires_at) VALUES (:key, :owner, :fencing, :expires_at)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, fencing = excluded.fencing, expires_at = excluded.expires_at
