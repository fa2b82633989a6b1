package demo

import kotlin.math.sqrt

data class Point(val x: Int, val y: Int) {
    fun length(): Double {
        val text = """
            fun notMe() {}
        """
        return sqrt(1.0)
    }

    companion object Factory
}

sealed interface Shape
fun String.shout(): String = uppercase()
suspend fun <T> run(block: () -> T): T = block()
val limit = 3
