# amalgamate.awk -- all of the extension as one C file.
#
#   awk -v version=X -v holder="2026 N" -v paths="ext build" -f ext/gen/amalgamate.awk FILE.c ...
#
# Each project header is put in where it is first included, and looked for in
# the folders of `paths`.  The headers of libc are included at the top:
# behind them everything is hidden but sqlite3_kv_init().  Compiled with
# -DKV_STANDALONE the result is the codecs alone.

function fail(what){
  print "amalgamate.awk: " what > "/dev/stderr"
  bad = 1
  exit 1
}

# The path of a project header.
function find(name,    i, n, dir, path, line){
  n = split(paths, dir, " ")
  for(i=1; i<=n; i++){
    path = dir[i] "/" name
    if( (getline line < path)>0 ){
      close(path)
      return path
    }
  }
  fail("no such header: " name)
}

# The name between the quotes or brackets of an #include.
function included(line){
  sub(/^#[ \t]*include[ \t]*["<]/, "", line)
  sub(/[">].*$/, "", line)
  return line
}

# Print a file, and in it the headers.  (The depth is that of the includes.)
function copy(path,    line, name){
  print "/************** " path " **************/"
  while( (getline line < path)>0 ){
    if( line ~ /^#[ \t]*include[ \t]*</ ) continue
    if( line ~ /^SQLITE_EXTENSION_INIT[13]$/ ) continue
    if( line ~ /^#[ \t]*include[ \t]*"/ ){
      name = included(line)
      if( name=="sqlite3ext.h" || (name in seen) ) continue
      seen[name] = 1
      copy(find(name))
    }else{
      print line
    }
  }
  close(path)
}

# The headers of libc that a file names, each under the #if that it stands in
# there, if it is not that of a header around all of itself.
function system_headers(path,    line, name, depth, cond, c){
  depth = path ~ /\.h$/ ? -1 : 0
  while( (getline line < path)>0 ){
    if( line ~ /^#[ \t]*if/ ) cond[++depth] = line
    else if( line ~ /^#[ \t]*endif/ ) depth--
    else if( line ~ /^#[ \t]*el/ ) cond[depth] = "#else"
    else if( line ~ /^#[ \t]*include[ \t]*</ ){
      name = included(line)
      c = depth>0 ? cond[depth] : ""
      if( depth>1 || c=="#else" ) fail(path ": <" name "> in an #else or a second #if")
      if( (name in libc) || ((c, name) in libc) ) continue
      if( c!="" ){
        libc[c, name] = 1
        print c "\n# include <" name ">\n#endif"
      }else{
        libc[name] = 1
        print "#include <" name ">"
      }
    }else if( line ~ /^#[ \t]*include[ \t]*"/ ){
      name = included(line)
      if( name!="sqlite3ext.h" && !(name in walked) ){
        walked[name] = 1
        system_headers(find(name))
      }
    }
  }
  close(path)
}

BEGIN {
  if( ARGC<2 ) fail("no files")
  print "/*"
  print "** kv.c -- sqlite-kv, version " version ", in one file: a SQLite extension that reads and"
  print "** writes Deno KV databases, and the codecs of Deno's keys and values."
  print "**"
  print "** This file is an amalgamation of " (ARGC-1) " C files and their headers, each of which begins"
  print "** with a line of its name.  It is made by \"make amalgamation\": change those files, not"
  print "** this one.  One file is easier to put into another program, and the compiler, which"
  print "** sees all of it at once, is faster and makes faster code."
  print "**"
  print "** It needs a compiler for C11, libc, and SQLite's headers sqlite3.h and sqlite3ext.h,"
  print "** version 3.38 or later.  As an extension to be loaded:"
  print "**"
  print "**     cc -O2 -fPIC -shared -o kv.so kv.c                  Linux"
  print "**     cc -O2 -dynamiclib -o kv.dylib kv.c                 macOS (untested)"
  print "**     gcc -O2 -shared -static-libgcc -o kv.dll kv.c       Windows, by MinGW"
  print "**"
  print "** In the sqlite3 shell \".load ./kv\" loads it; its entry point is sqlite3_kv_init(), or"
  print "** sqlite3_extension_init(), which SQLite finds whatever the name of the file."
  print "**"
  print "** In a program that has SQLite, compile it with -DSQLITE_CORE, link it, and register it"
  print "** for each connection that is opened from then on.  kv.h declares it:"
  print "**"
  print "**     cc -O2 -DSQLITE_CORE -c kv.c"
  print "**     sqlite3_auto_extension((void(*)(void))sqlite3_kv_init);"
  print "**"
  print "** The codecs alone (keys and values as text and as Deno's bytes) need no SQLite:"
  print "**"
  print "**     cc -O2 -DKV_STANDALONE -c kv.c"
  print "**"
  print "** -DKV_SMALL optimizes what isn't hot for size; -DKV_DEBUG adds assertions."
  print "**"
  print "** Copyright (c) " holder
  print "** SPDX-License-Identifier: MIT"
  print "*/"
  print "#define KV_SQL_TEXTS"
  for(i=1; i<ARGC; i++) system_headers(ARGV[i])
  print "#ifndef KV_STANDALONE"
  print "# include \"sqlite3ext.h\""
  print "#endif"
  print "#if defined(__GNUC__) && !defined(_WIN32)"
  print "# pragma GCC visibility push(hidden)"
  print "#endif"
  print "#ifndef KV_STANDALONE"
  print "SQLITE_EXTENSION_INIT1"
  print "#endif"
  inner = 0
  for(i=1; i<ARGC; i++){
    if( !inner && ARGV[i] !~ /^ext\/(bytes|codec)\// ){
      inner = 1
      print "#ifndef KV_STANDALONE"
      # In packages: what is slow there is SQLite, or in the codecs.
      print "#if defined(KV_SMALL) && defined(__GNUC__) && !defined(__clang__)"
      print "# pragma GCC optimize(\"Os\")"
      print "#endif"
    }
    copy(ARGV[i])
  }
  if( inner ) print "#endif /* KV_STANDALONE */"
  print "#if defined(__GNUC__) && !defined(_WIN32)"
  print "# pragma GCC visibility pop"
  print "#endif"
  exit 0
}
END { if( bad ) exit 1 }
