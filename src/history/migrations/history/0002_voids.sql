-- Voided rounds are few, and operators list them.
CREATE INDEX crash_rounds_voided ON crash_rounds (round_id) WHERE kind = 'voided';
