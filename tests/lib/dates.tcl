# dates.tcl -- a time in the spellings of SQL.

# A time in each spelling that mappers and people use; the last one is a number.
set spellings {
  "as it is shown"   {%Y-%m-%d %H:%M:%S.MMM000} 0      "SQLite"            {%Y-%m-%d %H:%M:%S} 0
  "without seconds"  {%Y-%m-%d %H:%M} 0                "toISOString()"     {%Y-%m-%dT%H:%M:%S.MMMZ} 0
  "RFC 3339"         {%Y-%m-%dT%H:%M:%SZ} 0            "Django, SQLAlchemy" {%Y-%m-%d %H:%M:%S.MMM000+00:00} 0
  "of another zone"  {%Y-%m-%dT%H:%M:%S.MMM+02:00} 2   "Python, of another zone" {%Y-%m-%d %H:%M:%S-03:30} -3.5
  "RFC 2822"         {%a, %d %b %Y %H:%M:%S GMT} 0     "PHP"               {%Y-%m-%dT%H:%M:%S+00:00} 0
  "milliseconds"     {} 0
}
proc spelled {ms format hours} {
  if {$format eq ""} { return $ms }
  set s [clock format [expr {$ms/1000 + int($hours*3600)}] -format $format -gmt 1 -locale C]
  return "'[string map [list MMM [format %03d [expr {$ms%1000}]]] $s]'"
}
